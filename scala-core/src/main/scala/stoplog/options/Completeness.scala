// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.time.ZoneId

import scala.util.Try

import stoplog.bucket.{BucketAssigner, Bucketing, TimedBuckets}
import stoplog.bucket.BucketEnds.DateTimeEnds
import stoplog.log.MarkerForm
import stoplog.options.{BucketComplete => When}
import stoplog.util.UserObject

/** Additional files and announcements of a sink, for readers that wait for complete buckets, and loaders.
  *
  * @param when     the rule for a complete bucket
  * @param form     the form of its marker
  * @param manifest whether the files of each record are listed
  * @param zone     the zone of dates and local times
  * @param announce the targets of announcements
  */
private[stoplog] final case class Completeness(
    when: BucketComplete,
    form: MarkerForm,
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
}

private[stoplog] object Completeness extends OptionList(OptionGroup.Complete) {

  val BucketComplete: Opt[When] = choice[When](
    "bucketComplete",
    "none"           -> When.Never,
    "watermark"      -> When.Watermark(0),
    "processingTime" -> When.ProcessingTime(0),
    "idle"           -> When.Idle(0)
  )(
    "watermark",
    "The condition of a complete bucket, which gets a marker file. `watermark`: the watermark of the query " +
      "has reached the end of the bucket; needs `withWatermark` and a bucket with a time from a column. " +
      "`processingTime`: the driver's clock has reached the end. `idle`: the bucket received no row for " +
      "`bucketCompleteDelay`. A batch write marks all buckets at the end, with every value except `none`."
  )

  val BucketCompleteDelay: Opt[Long] = option(
    "bucketCompleteDelay",
    OptionType.span
      .copy(parse = text => if (text.trim.matches("0+ *[a-zA-Z]+")) Right(0L) else TimeSpan.parse(text)),
    "10m"
  )(
    "`0s`; with `idle` it is required",
    "The delay after the end of a bucket; with `idle`, the delay after the last row."
  )

  val BucketMarker: Opt[MarkerForm] = withDefault(
    "bucketMarker",
    OptionType.named(MarkerForm.all)(_.word).as("`json` or `empty`"),
    MarkerForm.Json,
    "empty"
  )(
    "The content of the marker `_SUCCESS` of a complete bucket: the number of files, rows and bytes, and a " +
      "version; or nothing. If rows arrive late, `_SUCCESS.2` follows, and so on: no marker is ever " +
      "overwritten."
  )

  val Manifest: Opt[Boolean] = choice[Boolean]("manifest", "none" -> false, "json" -> true)(
    "json",
    "`json` lists the files that each commit makes visible, with rows, bytes, and the earliest and latest " +
      "time of `bucketColumn`, in `_stoplog/<sinkId>/manifests`."
  )

  val ManifestRetention: Opt[Long] = option("manifestRetention", OptionType.span, "30d")(
    "manifests are kept",
    "Manifests older than this are removed, once an hour."
  )

  def parse(reader: OptionReader, bucketing: Bucketing): Completeness = {
    val when = whenComplete(reader)
    if (when == When.Never)
      reader.withoutEffect(
        Seq(BucketCompleteDelay, BucketMarker),
        "unless bucketComplete is set"
      )
    withoutEnd(bucketing, when).foreach { why =>
      reader.errors.add(s"bucketComplete = '${BucketComplete.values.render(reader(BucketComplete))}' $why.")
    }
    Completeness(
      when,
      reader(BucketMarker),
      manifest(reader),
      bucketing match {
        case Bucketing.DateTime(_, zone, _) => zone
        case _                              => reader(BucketOptions.TimeZone)
      },
      AnnounceOptions.parse(reader)
    )
  }

  private def whenComplete(reader: OptionReader): When = {
    val delay = reader.get(BucketCompleteDelay)
    reader(BucketComplete) match {
      case _: When.Watermark      => When.Watermark(delay.getOrElse(0))
      case _: When.ProcessingTime => When.ProcessingTime(delay.getOrElse(0))
      case _: When.Idle           =>
        if (!reader.isSet(BucketCompleteDelay))
          reader.errors.add(
            "bucketComplete = 'idle' needs bucketCompleteDelay: how long no row may have come."
          )
        else if (delay.contains(0L))
          reader.errors.add("bucketCompleteDelay must be more than 0 with bucketComplete = 'idle'.")
        When.Idle(delay.getOrElse(1))
      case When.Never => When.Never
    }
  }

  private def manifest(reader: OptionReader): ManifestChoice =
    if (reader(Manifest)) ManifestChoice.Json(reader.get(ManifestRetention))
    else {
      reader.withoutEffect(Seq(ManifestRetention), "unless manifest is set to json")
      ManifestChoice.None
    }

  /** Returns why the end of a bucket is unknown. For `partitionBy`, the rows' schema is checked later. */
  private def withoutEnd(bucketing: Bucketing, when: When): Option[String] =
    if (when == When.Never || when.isInstanceOf[When.Idle]) None
    else
      bucketing match {
        case Bucketing.DateTime(_, _, None) if when.isInstanceOf[When.Watermark] =>
          Some(
            "needs bucketColumn: the watermark is about the rows' own times, and buckets by time of " +
              "processing are not"
          )
        case Bucketing.DateTime(pattern, zone, _) if isPartial(pattern, zone) =>
          Some(
            s"cannot tell from bucketFormat = '$pattern' when a bucket ends: the pattern must say the " +
              "whole time, from the year on"
          )
        case Bucketing.Expression(_) =>
          Some(
            "cannot tell when a bucket of bucketBy ends: use bucketFormat, partitionBy with a date column, " +
              "or idle"
          )
        case Bucketing.FromColumn(_) =>
          Some(
            "cannot tell when a bucket of bucketFrom ends: use bucketFormat, partitionBy with a date column, " +
              "or idle"
          )
        case Bucketing.BasePath => Some("has no bucket that ends with bucketAssigner = basePath: use idle")
        case Bucketing.UserAssigner(reference) if !isTimed(reference) =>
          Some(
            "needs a bucketAssigner that extends stoplog.bucket.TimedBuckets and so knows when a bucket ends"
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
  }
}
