// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import java.time.ZoneId

import scala.util.control.NonFatal
import scala.util.hashing.MurmurHash3

import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, DateType, Metadata, StructType, TimestampType}

import stoplog.bucket.{Bucketing, PartitionColumns}
import stoplog.commit.SinkSettings.RowSchema
import stoplog.commit.{Finish, SinkSettings, StartCheck}
import stoplog.error.{Errors, Redaction}
import stoplog.format.SchemaChange
import stoplog.log.LogRecord
import stoplog.options.BucketOptions.{BucketFormat, BucketTimeZone, TimeZone}
import stoplog.options.RecoveryOptions.OnRestart
import stoplog.options.RollingOptions.BucketCheckInterval
import stoplog.options.{
  BucketOptions, ColumnNames, FormatChoice, OnSchemaChange, Opt, PartOptions, RecoveryOptions, RollingOptions,
  SinkOptions
}
import stoplog.storage.PartLayout
import stoplog.stores.SinkStorage
import stoplog.util.UserObject

/** The options of a sink that its log records. */
private[stoplog] object RecordedSettings {

  /** @param rows     the schema of the engine's rows
    * @param promised see [[SinkFormat.promised]]
    */
  def of(
      options: SinkOptions,
      rows: StructType,
      written: StructType,
      promised: String,
      storage: SinkStorage
  ): SinkSettings =
    SinkSettings(
      RecordedBuckets.zone(options.buckets.bucketing, rows) ++ markers(options.parts.layout),
      content(options, written, promised),
      noted = rolling(options) ++ RecordedBuckets.noted(options.buckets.bucketing, rows),
      schema = new RecordedColumns(written, options.recovery.onSchemaChange, storage.path, storage.sinkId),
      options = RecordedBuckets.ZoneOptions
    )

  /** Returns whether a file has the same columns from start to end. Each line of JSON or text contains its
    * own columns.
    */
  def dependsOnColumns(format: FormatChoice): Boolean = format match {
    case FormatChoice.Rows("text" | "json") | FormatChoice.UserEncoder(_) => false
    case _                                                                => true
  }

  /** Returns whether rows are written in the order of the recorded columns. The user's encoder receives rows
    * as the query has them.
    */
  def followColumns(format: FormatChoice): Boolean = format match {
    case FormatChoice.Rows("text") | FormatChoice.UserEncoder(_) => false
    case _                                                       => true
  }

  /** Returns whether readers find columns by their position. */
  def areColumnsByPosition(format: FormatChoice): Boolean = format == FormatChoice.Rows("csv")

  /** With other markers, existing open parts could not be found. */
  private def markers(layout: PartLayout): Map[String, String] = PartOptions.recorded(layout)

  /** Returns settings for `stoplog status`, which reports when open parts will be closed, also by the next
    * start.
    */
  private def rolling(options: SinkOptions): Map[String, String] =
    RollingOptions.noted(options.rolling.policy) +
      (BucketCheckInterval.key -> BucketCheckInterval.values.render(options.rolling.checkIntervalMillis)) ++
      Option.when(options.recovery.onRestart == Finish.PublishOpen)(
        OnRestart.key -> OnRestart.values.render(Finish.PublishOpen)
      )

  /** Returns all settings that define the bytes of a part. So no run appends to a file whose header specifies
    * other settings.
    */
  def content(options: SinkOptions, written: StructType, promised: String): String = {
    val columns = options.output.format match {
      case choice if !dependsOnColumns(choice) => ""
      case FormatChoice.Rows(_)                => named(written)
      case _ => s"${named(written)} ${short(written.json)}" // including nullability, at any depth
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

  /** Hides secrets from readers of the log. A changed secret still changes the content. */
  private def open(key: String, value: String): String = {
    val shown = Redaction.value(key, value)
    if (shown == value) value else s"$shown#${Redaction.fingerprint(key, value)}"
  }

  private def named(columns: StructType): String =
    columns.fields.map(f => s"${f.name} ${f.dataType.sql}").mkString(", ")

  /** Shortens a value: serialized instances and schemas have unlimited length. */
  private def short(value: String): String =
    if (value.length <= 200) value else f"${value.take(9)}…${MurmurHash3.stringHash(value)}%08x"
}

/** The columns of a sink's files, recorded in its log without the user's column metadata. */
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

  /** Returns the columns to write and to record after a run with other columns. With `additive`, columns that
    * the rows do not have any more stay in the files, so that all files can be read as one table. A column
    * that is a partition column now has its values in the directory names.
    *
    * @param before the recorded columns
    * @param now    the columns of the rows
    */
  def continued(options: SinkOptions, before: StructType, now: StructType): StructType =
    options.recovery.onSchemaChange match {
      case OnSchemaChange.Additive =>
        SchemaChange.merged(withoutPartitions(options.buckets.bucketing, before), now)
      case _ if RecordedSettings.dependsOnColumns(options.output.format) => SchemaChange.arranged(before, now)
      case _                                                             => now
    }

  /** Returns a message for a user whose choice `roll` starts files that Spark cannot read together with the
    * existing files.
    */
  def warning(options: SinkOptions, before: Option[StructType], now: StructType): Option[String] =
    options.recovery.onSchemaChange match {
      case OnSchemaChange.Roll =>
        before
          .map(SchemaChange.between(_, now))
          .filter(change => change.removed.nonEmpty || !change.isAdditive)
          .map { change =>
            s"New files have other columns than existing files (${change.describe}), because " +
              "onSchemaChange is set to roll. Readers of the whole path may fail or return null: read each " +
              "kind of file with its own schema."
          }
      case OnSchemaChange.Additive | OnSchemaChange.Fail => None
    }

  private def withoutPartitions(bucketing: Bucketing, columns: StructType): StructType = {
    val isSame = SQLConf.get.resolver // with case-sensitive names, another case is another column
    StructType(columns.filterNot(column => bucketing.columnsOfDirectories.exists(isSame(_, column.name))))
  }

  /** Returns the columns in this record. `None` for a record without a schema. */
  def of(record: LogRecord): Option[StructType] = record.state.schema.flatMap(read)

  /** Returns `None` for types unknown to this release of Spark. */
  def read(text: String): Option[StructType] =
    try Some(DataType.fromJson(text)).collect { case columns: StructType => columns }
    catch { case NonFatal(_) => None }
}

/** The bucketing recorded in a sink's log, so that changes are detected. If the options of a run do not set a
  * time pattern or a time zone, the recorded value applies. So no default moves rows to other directories:
  * neither the default of another release, nor the zone of another session.
  */
private[stoplog] object RecordedBuckets {

  /** Returns the settings for the next run. They include the time zone of DATE columns, in which their days
    * end. The zone does not change the names of directories, so a run may set another one.
    *
    * @param rows the schema of the engine's rows
    */
  def noted(bucketing: Bucketing, rows: StructType): Map[String, String] =
    patternOf(bucketing) ++ partitionZone(bucketing, rows, DateType) + (Kind -> kindOf(bucketing))

  private def patternOf(bucketing: Bucketing): Map[String, String] = bucketing match {
    case Bucketing.DateTime(pattern, _, _) => Map(BucketFormat.key -> pattern)
    case _                                 => Map.empty
  }

  /** Returns the effective options of a run.
    *
    * @param newest the newest record of the sink's log
    */
  def resumed(options: SinkOptions, newest: Option[LogRecord]): SinkOptions = {
    def recorded(key: String) = newest.flatMap(_.state.settings.get(key))
    options.buckets.bucketing match {
      case _: Bucketing.DateTime =>
        val pattern = recorded(BucketFormat.key).filterNot(_ => isNamed(options, BucketFormat))
        val zone    = recorded(Zone).filterNot(_ => isNamed(options, BucketTimeZone, TimeZone))
        val before  = pattern.map(BucketFormat.key -> _) ++ zone.map(BucketTimeZone.key -> _)
        if (before.isEmpty) options else SinkOptions.parse(options.toMap ++ before)
      case columns @ Bucketing.PartitionColumns(_, None) =>
        recorded(PartitionZone).fold(options) { zone =>
          options.withBucketing(columns.copy(zone = Some(ZoneId.of(zone))))
        }
      case _ => options
    }
  }

  /** Rejects a job whose directories are in another time zone: equal names would mean other times. Streams
    * have the same rule at their claim (P-35).
    *
    * Error: `STOPLOG_SETTINGS_CHANGED`.
    */
  def refuseOtherZone(settings: SinkSettings, newest: Option[LogRecord], path: String): Unit = {
    val zones = settings.copy(fixed = settings.fixed.filter { case (key, _) => ZoneOptions.contains(key) })
    newest.foreach(record => StartCheck.sameFixed(record.state, path, zones))
  }

  /** Returns the time zone of directories with times. With another zone, rows of one time would be in other
    * directories than before.
    *
    * @param rows the schema of the engine's rows
    */
  def zone(bucketing: Bucketing, rows: StructType): Map[String, String] = bucketing match {
    case Bucketing.DateTime(_, zone, _) => Map(Zone -> zone.getId)
    case _                              => partitionZone(bucketing, rows, TimestampType)
  }

  /** Returns the time zone if a partition column has this type. */
  private def partitionZone(bucketing: Bucketing, rows: StructType, ofTime: DataType): Map[String, String] =
    bucketing match {
      case Bucketing.PartitionColumns(names, zone)
          if PartitionColumns.of(rows, names).ordinals.exists(rows(_).dataType == ofTime) =>
        Map(PartitionZone -> zone.getOrElse(sessionZone).getId)
      case _ => Map.empty
    }

  /** Returns the time zone of the names of directories; `None` for names without a time. */
  def zoneOf(bucketing: Bucketing): Option[ZoneId] = bucketing match {
    case Bucketing.DateTime(_, zone, _)      => Some(zone)
    case Bucketing.PartitionColumns(_, zone) => Some(zone.getOrElse(sessionZone))
    case _                                   => None
  }

  private def sessionZone: ZoneId = DateTimeUtils.getZoneId(SQLConf.get.sessionLocalTimeZone)

  private final val Zone          = "timeZone"
  private final val PartitionZone = "partitionTimeZone"

  /** The options of the recorded zones. The first zone may be set by two options, and the first of these
    * fixes either.
    */
  val ZoneOptions: Map[String, String] = Map(
    Zone          -> s"${BucketTimeZone.key} (or ${TimeZone.key})",
    PartitionZone -> TimeZone.key
  )

  /** Returns messages for a user whose new directories differ in name or kind from existing directories.
    *
    * @param newest the newest record of the sink's log
    */
  def changes(options: SinkOptions, newest: Option[LogRecord]): Seq[String] =
    patternChange(options, newest).toSeq ++ zoneChange(options, newest) ++
      kindChange(options.buckets.bucketing, newest)

  /** Returns a message if the pattern differs from the recorded pattern or the documented default. */
  private def patternChange(options: SinkOptions, newest: Option[LogRecord]): Option[String] = for {
    record    <- newest
    requested <- patternOf(options)
    before    <- record.state.settings.get(BucketFormat.key)
    if requested != before
  } yield
    if (isNamed(options, BucketFormat))
      s"New buckets have the pattern bucketFormat = $requested, and existing buckets have $before. Other " +
        "readers find both; spark.read rejects a path if its directories name different columns."
    else
      s"Buckets keep the pattern $before, which the log of this sink records, instead of the default " +
        s"$requested. To change to the default, write to a new path."

  private def patternOf(options: SinkOptions): Option[String] =
    patternOf(options.buckets.bucketing).get(BucketFormat.key)

  /** Returns a message if the recorded zone applies in place of the zone of the session or the default. */
  private def zoneChange(options: SinkOptions, newest: Option[LogRecord]): Option[String] = for {
    before <- zoneOf(resumed(options, newest).buckets.bucketing)
    now    <- zoneOf(options.buckets.bucketing)
    if before != now
  } yield s"Directories keep the time zone $before, which the log of this sink records, instead of $now. For " +
    "another time zone, write to a new path."

  private def isNamed(options: SinkOptions, any: Opt[_]*): Boolean =
    any.exists(option => options.toMap.contains(option.key))

  private def kindChange(bucketing: Bucketing, newest: Option[LogRecord]): Option[String] = for {
    before <- newest.flatMap(_.state.settings.get(Kind))
    requested = kindOf(bucketing)
    if requested != before
  } yield s"New buckets have the layout $requested, and existing buckets have $before. Existing files stay " +
    "where they are; spark.read rejects a path if its directories name different columns. For a single " +
    "layout, write to a new path."

  private def kindOf(bucketing: Bucketing): String = bucketing match {
    case _: Bucketing.DateTime                => "dateTime"
    case Bucketing.BasePath                   => "basePath"
    case Bucketing.Expression(sql)            => s"${BucketOptions.BucketBy.key} = $sql"
    case Bucketing.FromColumn(name)           => s"${BucketOptions.BucketFrom.key} = $name"
    case Bucketing.PartitionColumns(names, _) =>
      s"${BucketOptions.PartitionBy.key} = ${ColumnNames.render(names)}"
    case Bucketing.UserAssigner(reference) =>
      val parameters = UserObject.parameters(reference)
      if (parameters.isEmpty) UserObject.shown(reference)
      else Redaction.options(reference.takeWhile(_ != '{'), parameters)
  }

  private final val Kind = "buckets"
}
