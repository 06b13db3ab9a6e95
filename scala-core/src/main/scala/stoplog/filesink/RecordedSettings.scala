// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import scala.util.hashing.MurmurHash3

import org.apache.spark.sql.types.StructType

import stoplog.bucket.Bucketing
import stoplog.commit.{Finish, SinkSettings}
import stoplog.error.Redaction
import stoplog.options.{BucketOptions, FormatChoice, PartOptions, RollingOptions, SinkOptions}
import stoplog.options.RecoveryOptions.OnRestart
import stoplog.options.RollingOptions.BucketCheckInterval
import stoplog.place.SinkStorage
import stoplog.storage.PartLayout

/** The options of a sink that its log keeps. */
private[stoplog] object RecordedSettings {

  def of(options: SinkOptions, written: StructType, storage: SinkStorage): SinkSettings =
    SinkSettings(
      zone(options.buckets.bucketing) ++ markers(options.parts.layout),
      content(options, written),
      noted = rolling(options) ++ RecordedPattern.noted(options.buckets.bucketing) ++
        RecordedBuckets.noted(options.buckets.bucketing),
      schema = new RecordedColumns(written, options.recovery.onSchemaChange, storage.path, storage.sinkId),
      options = ZoneOptions
    )

  /** A line of JSON or text tells for itself what columns there are; any other file has the same from its beginning to
    * its end.
    */
  def dependsOnColumns(format: FormatChoice): Boolean = format match {
    case FormatChoice.Rows("text" | "json") | FormatChoice.UserEncoder(_) => false
    case _                                                                => true
  }

  /** Another zone would send the rows of one moment to other directories than before. */
  private def zone(bucketing: Bucketing): Map[String, String] = bucketing match {
    case Bucketing.DateTime(_, zone, _) => Map(Zone -> zone.getId)
    case _                              => Map.empty
  }

  private final val Zone = "timeZone"

  /** A record does not say from which of the two the zone came, and setting the first one puts either right. */
  private val ZoneOptions =
    Map(Zone -> s"${BucketOptions.BucketTimeZone.key} (or ${BucketOptions.TimeZone.key})")

  /** Under other markers, the parts that are open could not be found again. */
  private def markers(layout: PartLayout): Map[String, String] = PartOptions.toMap(layout)

  /** For `stoplog status`, which says when open parts will be closed, also by the next start. An older release leaves it
    * out, and its runs write none: that takes no new version of the record.
    */
  private def rolling(options: SinkOptions): Map[String, String] =
    RollingOptions.noted(options.rolling.policy) +
      (BucketCheckInterval.key -> BucketCheckInterval.values.render(options.rolling.checkIntervalMillis)) ++
      Option.when(options.recovery.onRestart == Finish.PublishOpen)(
        OnRestart.key -> OnRestart.values.render(Finish.PublishOpen)
      )

  /** Everything that decides what the bytes of a part look like. */
  def content(options: SinkOptions, written: StructType): String = {
    val columns = options.output.format match {
      case choice if !dependsOnColumns(choice) => ""
      case FormatChoice.Rows(_)                => named(written)
      case _ => s"${named(written)} ${short(written.json)}" // and what may be null, at any depth
    }
    val format = options.output.format.toMap.toSeq.sorted.map { case (key, value) =>
      s"$key=${open(key, short(value))}"
    }
    val passed = options.output.passThrough.toSeq.sorted.map { case (key, value) =>
      s"$key=${open(key, value)}"
    }
    (format ++ Seq(s"compression=${options.output.compression}") ++ passed ++ Seq(columns))
      .filter(_.nonEmpty)
      .mkString("; ")
  }

  /** Redacts secrets from readers of the log; a changed secret counts as a changed content all the same. */
  private def open(key: String, value: String): String = {
    val shown = Redaction.value(key, value)
    if (shown == value) value else s"$shown#${Redaction.fingerprint(key, value)}"
  }

  private def named(columns: StructType): String =
    columns.fields.map(f => s"${f.name} ${f.dataType.sql}").mkString(", ")

  /** An instance is as long as its serialization, and a schema has no bounds either. */
  private def short(value: String): String =
    if (value.length <= 200) value else f"${value.take(9)}…${MurmurHash3.stringHash(value)}%08x"
}
