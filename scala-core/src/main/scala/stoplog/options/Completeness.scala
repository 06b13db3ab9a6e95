// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.time.ZoneId

import scala.util.Try

import stoplog.bucket.{BucketAssigner, Bucketing, TimedBuckets}
import stoplog.bucket.BucketEnds.DateTimeEnds
import stoplog.options.{BucketComplete => When}
import stoplog.util.UserObject

/** Additional files and announcements of a sink, for readers that wait for complete buckets, and loaders.
  *
  * @param when     the rule for a complete bucket
  * @param manifest whether the files of each record are listed
  * @param zone     the zone of dates and local times
  * @param announce the targets of announcements
  */
private[stoplog] final case class Completeness(
    when: BucketComplete,
    manifest: Completeness.ManifestChoice,
    zone: ZoneId,
    announce: AnnounceOptions
)

/** The rule by which a bucket counts as complete, and the delay of its marker. */
private[stoplog] sealed trait BucketComplete extends Product with Serializable

private[stoplog] object BucketComplete {
  case object Never                                  extends BucketComplete
  final case class Watermark(delayMillis: Long)      extends BucketComplete
  final case class ProcessingTime(delayMillis: Long) extends BucketComplete
  final case class Idle(delayMillis: Long)           extends BucketComplete

  private[options] val values: OptionType[BucketComplete] = OptionType[BucketComplete](
    "`none`, `watermark`, `processingTime` or `idle`, with a time after it",
    parse(_),
    rendered,
    Seq("none", "watermark", "processingTime", "idle")
  )

  private[options] def word(rule: BucketComplete): String = rule match {
    case Never             => "none"
    case Watermark(_)      => "watermark"
    case ProcessingTime(_) => "processingTime"
    case Idle(_)           => "idle"
  }

  private def delay(rule: BucketComplete): Long = rule match {
    case Never                  => 0
    case Watermark(millis)      => millis
    case ProcessingTime(millis) => millis
    case Idle(millis)           => millis
  }

  private def rendered(rule: BucketComplete): String =
    if (delay(rule) == 0) word(rule) else s"${word(rule)} ${TimeSpan.render(delay(rule))}"

  private def parse(text: String): Either[String, BucketComplete] = {
    val (name, time) = text.trim.span(!_.isWhitespace)
    for {
      rule <- OptionType.oneOf[Long => BucketComplete](
        Seq(
          "none"           -> (_ => Never),
          "watermark"      -> Watermark,
          "processingTime" -> ProcessingTime,
          "idle"           -> Idle
        )
      )(name)
      millis <- millisOf(time.trim)
      chosen = rule(millis)
      _ <- chosen match {
        case Never if time.trim.nonEmpty => Left("must not have a time with none")
        case Idle(0)                     => Left("needs a time without rows, such as idle 10m")
        case _                           => Right(())
      }
    } yield chosen
  }

  private def millisOf(time: String): Either[String, Long] =
    if (time.matches("(0+ *[a-zA-Z]+)?")) Right(0L) else TimeSpan.parse(time)
}

private[stoplog] object Completeness extends OptionList(OptionGroup.Complete) {

  val BucketComplete: Opt[When] = withDefault("bucketComplete", When.values, When.Never, "watermark 10m")(
    "The condition of a complete bucket, which gets a marker file. `watermark`: the watermark of the query " +
      "has reached the end of the bucket; needs `withWatermark` and a bucket with a time from a column. " +
      "`processingTime`: the driver's clock has reached the end. A time after the word delays the marker: " +
      "`watermark 10m`. `idle 10m`: the bucket received no row for this time. The marker `_SUCCESS` has the " +
      "number of files, rows and bytes, and a version. If rows arrive late, `_SUCCESS.2` follows, and so on: " +
      "no marker is ever overwritten. A batch write marks all buckets at the end, with every value except " +
      "`none`."
  )

  val Manifest: Opt[ManifestChoice] =
    withDefault("manifest", ManifestChoice.values, ManifestChoice.None, "30d")(
      "`json` lists the files that each commit makes visible, with rows, bytes, and the earliest and latest " +
        "time of `bucketColumn`, in `_stoplog/<sinkId>/manifests`. A time, such as `30d`: the same, and older " +
        "manifests are removed, once an hour."
    )

  def parse(reader: OptionReader, bucketing: Bucketing): Completeness = {
    val when = reader(BucketComplete)
    withoutEnd(bucketing, when).foreach { why =>
      reader.errors.add(s"bucketComplete = '${When.word(when)}' $why.")
    }
    Completeness(
      when,
      reader(Manifest),
      bucketing match {
        case Bucketing.DateTime(_, zone, _) => zone
        case _                              => reader(BucketOptions.TimeZone)
      },
      AnnounceOptions.parse(reader)
    )
  }

  /** Returns why the end of a bucket is unknown. For `partitionBy`, the rows' schema is checked later. */
  private def withoutEnd(bucketing: Bucketing, when: When): Option[String] =
    if (when == When.Never || when.isInstanceOf[When.Idle]) None
    else
      bucketing match {
        case Bucketing.DateTime(_, _, None) if when.isInstanceOf[When.Watermark] =>
          Some(
            "needs bucketColumn: a watermark compares event times, and these buckets have the time of " +
              "processing"
          )
        case Bucketing.DateTime(pattern, zone, _) if isPartial(pattern, zone) =>
          Some(
            s"cannot determine the end of a bucket from bucketFormat = '$pattern': the pattern must " +
              "contain the complete time, from the year on"
          )
        case Bucketing.Expression(_) =>
          Some(
            "cannot determine the end of a bucket of bucketBy: use bucketFormat, partitionBy with a date " +
              "column, or idle"
          )
        case Bucketing.FromColumn(_) =>
          Some(
            "cannot determine the end of a bucket of bucketFrom: use bucketFormat, partitionBy with a " +
              "date column, or idle"
          )
        case Bucketing.BasePath =>
          Some("has no effect with bucketAssigner = basePath, whose bucket never ends: use idle")
        case Bucketing.UserAssigner(reference) if !isTimed(reference) =>
          Some(
            "needs a bucketAssigner that extends stoplog.bucket.TimedBuckets, which defines ends of buckets"
          )
        case _ => None
      }

  /** Problems of the pattern, or of the class, are reported by their own parsers. */
  private def isPartial(pattern: String, zone: ZoneId): Boolean =
    Try(DateTimeEnds.of(pattern, zone)).toOption.exists(_.isEmpty)

  private def isTimed(reference: String): Boolean =
    Try(UserObject.load(reference, classOf[BucketAssigner], BucketOptions.BucketAssigner.key)).toOption
      .forall(_.isInstanceOf[TimedBuckets])

  /** Whether manifests are written. */
  sealed trait ManifestChoice extends Product with Serializable

  object ManifestChoice {
    case object None extends ManifestChoice

    /** @param retentionMillis the retention in milliseconds; `None` to keep manifests forever
      */
    final case class Json(retentionMillis: Option[Long]) extends ManifestChoice

    private[options] val values: OptionType[ManifestChoice] = {
      val words = OptionType.words[ManifestChoice]("none" -> None, "json" -> Json(Option.empty))
      words.copy(
        described = "`none`, `json` or a time",
        parse = text =>
          words.parse(text).orElse(TimeSpan.parse(text).map(time => Json(Some(time)))).left.map { _ =>
            "is neither none nor json, nor a time such as 30d"
          },
        render = {
          case Json(Some(millis)) => TimeSpan.render(millis)
          case word               => words.render(word)
        }
      )
    }
  }
}
