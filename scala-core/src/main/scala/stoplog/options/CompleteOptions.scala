// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.bucket.{BucketAssigner, BucketListener, DateTimeEnds, TimedBuckets}
import stoplog.log.MarkerForm
import stoplog.options.{BucketComplete => When, CompleteRegistry => Registry}

/** Reads when buckets are complete, and whether files are listed. */
private[options] object CompleteOptions {

  def parse(asked: AskedOptions, bucketing: Bucketing, problems: Problems): Completeness = {
    val when = whenComplete(asked, problems)
    if (when == When.Never)
      asked.withoutEffect(
        Seq(Registry.BucketCompleteDelay, Registry.BucketMarker, Registry.BucketListener),
        "unless bucketComplete is set"
      )
    withoutEnd(asked, bucketing, when).foreach(why => problems.add(s"bucketComplete = '${word(when)}' $why."))
    val listener = asked.reference(Registry.BucketListener)
    listener.foreach(asked.userObject(Registry.BucketListener, _, classOf[BucketListener]))
    Completeness(
      when,
      asked.value(Registry.BucketMarker)(AskedOptions.oneOf(MarkerForm.all.map(form => form.word -> form))),
      listener,
      manifest(asked),
      bucketing match {
        case Bucketing.DateTime(_, zone, _) => zone
        case _ => asked.value(SinkOptionRegistry.TimeZone)(BucketingOptions.timeZone)
      }
    )
  }

  private def whenComplete(asked: AskedOptions, problems: Problems): When = {
    val delay = asked.optional(Registry.BucketCompleteDelay)(delayMillis)
    asked.value(Registry.BucketComplete)(AskedOptions.oneOf(words)) match {
      case _: When.Watermark      => When.Watermark(delay.getOrElse(0))
      case _: When.ProcessingTime => When.ProcessingTime(delay.getOrElse(0))
      case _: When.Idle           =>
        if (!asked.isSet(Registry.BucketCompleteDelay))
          problems.add("bucketComplete = 'idle' needs bucketCompleteDelay: how long no row may have come.")
        else if (delay.contains(0L))
          problems.add("bucketCompleteDelay must be more than 0 with bucketComplete = 'idle'.")
        When.Idle(delay.getOrElse(1))
      case When.Never => When.Never
    }
  }

  private def manifest(asked: AskedOptions): ManifestChoice =
    asked.value(Registry.Manifest)(AskedOptions.oneOf(Seq("none" -> false, "json" -> true))) match {
      case false =>
        asked.withoutEffect(Seq(Registry.ManifestRetention), "unless manifest is set to json")
        ManifestChoice.None
      case true => ManifestChoice.Json(asked.optional(Registry.ManifestRetention)(TimeSpan.parse))
    }

  /** Why nobody could say when a bucket ends. Whether `partitionBy` names a date is seen with the rows' schema. */
  private def withoutEnd(asked: AskedOptions, bucketing: Bucketing, when: When): Option[String] =
    if (when == When.Never || when.isInstanceOf[When.Idle]) None
    else
      bucketing match {
        case Bucketing.DateTime(_, _, None) if when.isInstanceOf[When.Watermark] =>
          Some(
            "needs bucketColumn: the watermark is about the rows' own times, and buckets by time of processing are not"
          )
        case Bucketing.DateTime(pattern, zone, _) if isPartial(pattern, zone) =>
          Some(
            s"cannot tell from bucketFormat = '$pattern' when a bucket ends: the pattern must say the whole time, from the year on"
          )
        case Bucketing.Expression(_) =>
          Some(
            "cannot tell when a bucket of bucketBy ends: use bucketFormat, partitionBy with a date column, or idle"
          )
        case Bucketing.BasePath => Some("has no bucket that ends with bucketAssigner = basePath: use idle")
        case Bucketing.UserAssigner(reference) if !isTimed(asked, reference) =>
          Some(
            "needs a bucketAssigner that extends stoplog.bucket.TimedBuckets and so knows when a bucket ends"
          )
        case _ => None
      }

  /** What is wrong with the pattern, or with the class, is told where it is read. */
  private def isPartial(pattern: String, zone: java.time.ZoneId): Boolean =
    scala.util.Try(DateTimeEnds.of(pattern, zone)).toOption.exists(_.isEmpty)

  private def isTimed(asked: AskedOptions, reference: String): Boolean =
    scala.util
      .Try(UserObject.load(reference, classOf[BucketAssigner], SinkOptionRegistry.BucketAssigner.key))
      .toOption
      .forall(_.isInstanceOf[TimedBuckets])

  private def delayMillis(text: String): Either[String, Long] =
    if (text.trim.matches("0+ *[a-zA-Z]+")) Right(0L) else TimeSpan.parse(text)

  private def word(when: When): String = words.collectFirst {
    case (word, of) if of.getClass == when.getClass => word
  }.mkString

  private val words: Seq[(String, When)] = Seq(
    "none"           -> When.Never,
    "watermark"      -> When.Watermark(0),
    "processingTime" -> When.ProcessingTime(0),
    "idle"           -> When.Idle(0)
  )
}
