// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import scala.util.control.NonFatal
import scala.util.hashing.MurmurHash3

import org.apache.spark.sql.types.{DataType, Metadata, StructType}

import stoplog.bucket.{Bucketing, DateTimeBucketAssigner}
import stoplog.commit.SinkSettings.RowSchema
import stoplog.commit.{Finish, SinkSettings}
import stoplog.error.{Errors, Redaction}
import stoplog.format.SchemaChange
import stoplog.log.LogRecord
import stoplog.options.BucketOptions.{BucketFormat, TimeZone}
import stoplog.options.RecoveryOptions.OnRestart
import stoplog.options.RollingOptions.BucketCheckInterval
import stoplog.options.{
  BucketOptions, ColumnNames, FormatChoice, OnSchemaChange, PartOptions, RecoveryOptions, RollingOptions,
  SinkOptions
}
import stoplog.place.SinkStorage
import stoplog.storage.PartLayout
import stoplog.util.UserObject

/** The options of a sink that its log keeps. */
private[stoplog] object RecordedSettings {

  /** @param promised see [[SinkFormat.promised]] */
  def of(options: SinkOptions, written: StructType, promised: String, storage: SinkStorage): SinkSettings =
    SinkSettings(
      zone(options.buckets.bucketing) ++ markers(options.parts.layout),
      content(options, written, promised),
      noted = rolling(options) ++ RecordedBuckets.noted(options.buckets.bucketing),
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

  /** Everything that decides what the bytes of a part look like, so that no run goes on behind a header that says something
    * else. An older release leaves out what is promised; a part of its is then ended once, since nothing tells what it was.
    */
  def content(options: SinkOptions, written: StructType, promised: String): String = {
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
    (format ++ Seq(s"compression=${options.output.compression}") ++ passed ++ Seq(columns, promised))
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

/** The columns that a sink writes, as they are kept in its log: those of the files, without what a user may have noted
  * beside a column.
  */
private[stoplog] final class RecordedColumns(
    columns: StructType,
    onChange: OnSchemaChange,
    path: String,
    sinkId: String
) extends RowSchema
    with Serializable {

  override val text: String = StructType(columns.map(_.copy(metadata = Metadata.empty))).json

  /** Error: `STOPLOG_SCHEMA_CHANGED`. */
  override def mayFollow(recorded: String): Unit = RecordedColumns.read(recorded).foreach { before =>
    val change  = SchemaChange.between(before, columns)
    val allowed = onChange match {
      case OnSchemaChange.Roll     => true
      case OnSchemaChange.Additive => change.isAdditive
      case OnSchemaChange.Fail     => change.isEmpty
    }
    if (!allowed)
      throw Errors.schemaChanged(
        path,
        sinkId,
        RecoveryOptions.OnSchemaChange.values.render(onChange),
        change.describe
      )
  }
}

private[stoplog] object RecordedColumns {

  /** The columns in this record; `None` where an older release has written it. */
  def of(record: LogRecord): Option[StructType] = record.state.schema.flatMap(read)

  /** `None` for types that this release of Spark does not know. */
  def read(text: String): Option[StructType] =
    try Some(DataType.fromJson(text)).collect { case columns: StructType => columns }
    catch { case NonFatal(_) => None }
}

/** The bucketing of a sink, as its log has it, so that a change is not silent. A run whose options name no pattern of buckets
  * by time goes on with that of the log, so that a default of another release moves no directory.
  */
private[stoplog] object RecordedBuckets {

  /** For the next run. An older release leaves it out, and its runs write none: that takes no new version of the record. */
  def noted(bucketing: Bucketing): Map[String, String] = patternOf(bucketing) + (Kind -> kindOf(bucketing))

  private def patternOf(bucketing: Bucketing): Map[String, String] = bucketing match {
    case Bucketing.DateTime(pattern, _, _) => Map(BucketFormat.key -> pattern)
    case _                                 => Map.empty
  }

  /** The options that a run goes by.
    *
    * @param newest record of the sink's log
    */
  def resumed(options: SinkOptions, newest: Option[LogRecord]): SinkOptions =
    newest.flatMap(recorded) match {
      case Some(before) if patternOf(options).exists(_ != before) && !isNamed(options) =>
        SinkOptions.parse(options.toMap + (BucketFormat.key -> before))
      case _ => options
    }

  /** Messages for a user whose new directories are called otherwise than those so far, or are of another kind.
    *
    * @param newest record of the sink's log
    */
  def changes(options: SinkOptions, newest: Option[LogRecord]): Seq[String] =
    patternChange(options, newest).toSeq ++ kindChange(options.buckets.bucketing, newest)

  /** Where the pattern is not the one so far, or not the documented default. */
  private def patternChange(options: SinkOptions, newest: Option[LogRecord]): Option[String] = for {
    settings <- newest.map(_.state.settings)
    asked    <- patternOf(options)
    before   <- if (isNamed(options)) settings.get(BucketFormat.key) else newest.flatMap(recorded)
    if asked != before
  } yield
    if (isNamed(options))
      s"New buckets are called by bucketFormat = $asked, and the buckets so far by $before. Other readers find both; " +
        "spark.read refuses a path whose directories do not all name the same columns."
    else
      s"Buckets go on by the pattern $before, as the log of this sink has it, and not by the default $asked. To change " +
        "to the default, write to a new path."

  /** A log that has a zone is one of buckets by time; none named its pattern before the default became another. */
  private def recorded(newest: LogRecord): Option[String] = {
    val settings = newest.state.settings
    settings
      .get(BucketFormat.key)
      .orElse(Option.when(settings.contains(TimeZone.key))(DateTimeBucketAssigner.FormerPattern))
  }

  private def patternOf(options: SinkOptions): Option[String] =
    patternOf(options.buckets.bucketing).get(BucketFormat.key)

  private def isNamed(options: SinkOptions): Boolean = options.toMap.contains(BucketFormat.key)

  private def kindChange(bucketing: Bucketing, newest: Option[LogRecord]): Option[String] = for {
    before <- newest.flatMap(_.state.settings.get(Kind))
    asked = kindOf(bucketing)
    if asked != before
  } yield s"New buckets are by $asked, and the buckets so far by $before. The files so far stay where they are; " +
    "spark.read refuses a path whose directories do not all name the same columns. For one layout alone, write to a " +
    "new path."

  private def kindOf(bucketing: Bucketing): String = bucketing match {
    case _: Bucketing.DateTime                => "dateTime"
    case Bucketing.BasePath                   => "basePath"
    case Bucketing.Expression(sql)            => s"${BucketOptions.BucketBy.key} = $sql"
    case Bucketing.PartitionColumns(names, _) =>
      s"${BucketOptions.PartitionBy.key} = ${ColumnNames.render(names)}"
    case Bucketing.UserAssigner(reference) =>
      val parameters = UserObject.parameters(reference)
      if (parameters.isEmpty) UserObject.shown(reference)
      else Redaction.options(reference.takeWhile(_ != '{'), parameters)
  }

  private final val Kind = "buckets"
}
