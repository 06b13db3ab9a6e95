// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import stoplog.commit.{AnnouncementStatus, Replacements}
import stoplog.engine.Unseen
import stoplog.error.{Errors, StoplogException}
import stoplog.log.{CommitLog, LiveBucket, LogRecord, RecordKind}
import stoplog.options.{SparkHadoop, View, ViewOptions}
import stoplog.part.{Open, Part, Pending, SchemaId}
import stoplog.storage.{FileStore, OpenFailure}
import stoplog.stores.SinkStorage

/** The tables of the option `view`. The tables cover the kept records, of which the log retains 100.
  *
  * `parts`: `bucket`, `name`, `state` (`open`, `pending`, `published`, or `replaced` by a compacted part; a
  * compaction that was called off has no rows), `bytes`, `records`, `opened_at`, `last_written_at`,
  * `roll_reason` (null for open parts), `epoch` (of the record that closed the part; null for open parts),
  * `schema_id` (equal for parts with the same columns), `schema` (these columns as DDL; null if no kept
  * record contains the columns).
  *
  * `epochs`: `seq`, `kind` (`claim`, `epoch`, `roll`, `compact` or `release`), `epoch` (null for other
  * kinds), `run`, `written_at`, `published_parts`, `published_bytes`, `published_rows`, `open_parts`,
  * `open_bytes`.
  *
  * `open`: `bucket`, `name`, `bytes`, `records`, `opened_at`, `last_written_at`, `unfinished_path`. A closed
  * part counts as open until its record is carried out, because readers do not see the part before.
  *
  * `buckets` with rows not counted by a marker: `bucket`, `version` (of the newest marker; 0 without a
  * marker), `files`, `rows` and `bytes` (published so far), `last_written_at`.
  *
  * `announcements`: `log` (of the sink, or of replacements), `target`, `next_seq` (the first record that is
  * not announced), `newest_seq`, `lag_records`, `waiting_since` (the time of the oldest waiting record; null
  * if no record waits, or the record is deleted), `error` and `error_at` (the first failure since; null
  * without a failure).
  */
private[stoplog] object StateView {

  def schema(view: View): StructType = view match {
    case View.Parts         => partsSchema
    case View.Epochs        => epochsSchema
    case View.Open          => openSchema
    case View.Buckets       => bucketsSchema
    case View.Announcements => announcementsSchema
  }

  /** Error: `STOPLOG_SINK_UNKNOWN` if the path does not exist, or has the logs of other sinks only. A path
    * without any log has no rows: its first sink may start at any time.
    */
  def refuseUnknown(options: ViewOptions): Unit = {
    val found = storage(options, options.sinkId)
    if (found.records.newerThan(-1).isEmpty) {
      val others = found.streams.keys.toVector.sorted
      if (others.nonEmpty || !exists(found.files))
        throw Errors.sinkUnknown(options.path, options.sinkId, others)
    }
  }

  /** Returns the committed rows that readers do not see yet. */
  def unseen(log: CommitLog): Unseen = {
    val parts = unseenParts(log)
    Unseen(parts.size.toLong, parts.map(_.records).sum, parts.map(_.sizeBytes).sum)
  }

  /** Returns the open parts, and the closed parts of a record that is not carried out yet. */
  private def unseenParts(log: CommitLog): Vector[Part] =
    log.newest().toVector.flatMap(newest => newest.state.open ++ log.unpublished(newest))

  /** Returns the current rows of the view. */
  def rows(options: ViewOptions): Array[InternalRow] = {
    def log = storage(options, options.sinkId).log
    options.view match {
      case View.Parts         => parts(log, storage(options, Replacements.SinkId).log)
      case View.Epochs        => log.all().map(epoch).toArray
      case View.Open          => unseenParts(log).map(open).toArray
      case View.Buckets       => log.newest().toVector.flatMap(_.state.live).map(bucket).toArray
      case View.Announcements => announcements(options).toArray
    }
  }

  private def announcements(options: ViewOptions): Vector[InternalRow] =
    Vector(options.sinkId, Replacements.SinkId)
      .map(storage(options, _).announced(options.sinkId))
      .flatMap(AnnouncementStatus.of)
      .map(announcement)

  private def storage(options: ViewOptions, sinkId: String): SinkStorage =
    SinkStorage.reading(options.path, sinkId, SparkHadoop.configuration)

  // A user with access only below the path cannot check whether the path exists.
  private def exists(files: FileStore): Boolean =
    try files.stat("").isDefined
    catch { case e: StoplogException if OpenFailure.isDenied(e) => true }

  private val partColumns = new StructType()
    .add("bucket", StringType, nullable = false)
    .add("name", StringType, nullable = false)

  private val countColumns = new StructType()
    .add("bytes", LongType, nullable = false)
    .add("records", LongType, nullable = false)
    .add("opened_at", TimestampType, nullable = false)
    .add("last_written_at", TimestampType, nullable = false)

  private val partsSchema = StructType(
    (partColumns.fields :+ StructField("state", StringType, nullable = false)) ++ countColumns.fields
  ).add("roll_reason", StringType)
    .add("epoch", LongType)
    .add("schema_id", StringType)
    .add("schema", StringType)

  private val openSchema = StructType(partColumns.fields ++ countColumns.fields)
    .add("unfinished_path", StringType, nullable = false)

  private val bucketsSchema = new StructType()
    .add("bucket", StringType, nullable = false)
    .add("version", IntegerType, nullable = false)
    .add("files", LongType, nullable = false)
    .add("rows", LongType, nullable = false)
    .add("bytes", LongType, nullable = false)
    .add("last_written_at", TimestampType, nullable = false)

  private val announcementsSchema = new StructType()
    .add("log", StringType, nullable = false)
    .add("target", StringType, nullable = false)
    .add("next_seq", LongType, nullable = false)
    .add("newest_seq", LongType, nullable = false)
    .add("lag_records", LongType, nullable = false)
    .add("waiting_since", TimestampType)
    .add("error", StringType)
    .add("error_at", TimestampType)

  private val epochsSchema = new StructType()
    .add("seq", LongType, nullable = false)
    .add("kind", StringType, nullable = false)
    .add("epoch", LongType)
    .add("run", StringType, nullable = false)
    .add("written_at", TimestampType, nullable = false)
    .add("published_parts", LongType, nullable = false)
    .add("published_bytes", LongType, nullable = false)
    .add("published_rows", LongType, nullable = false)
    .add("open_parts", LongType, nullable = false)
    .add("open_bytes", LongType, nullable = false)

  /** Returns closed parts of all kept records, oldest first, followed by open parts.
    *
    * @param merging the log of replacement jobs, for files of any writer below this path
    */
  private def parts(log: CommitLog, merging: CommitLog): Array[InternalRow] = {
    val records = log.all()
    val schemas = schemasOf(records)
    val gone    = (records ++ merging.all()).flatMap(_.replace).map(_.path).toSet
    val closed  = records.flatMap { record =>
      // Each record is executed before the next record is written.
      val state = if (record.seq < records.last.seq || log.isPublished(record)) "published" else "pending"
      record.publish.map { part =>
        closedRow(part, if (gone(part.finishedPath)) "replaced" else state, record, schemas)
      }
    }
    (closed ++ records.lastOption.toVector.flatMap(_.state.open).map(openRow(_, schemas))).toArray
  }

  private def schemasOf(records: Vector[LogRecord]): Map[SchemaId, String] =
    records
      .flatMap(_.state.schema)
      .distinct
      .flatMap { text =>
        RecordedColumns.read(text).map(columns => SchemaId.of(text) -> columns.toDDL)
      }
      .toMap

  private def schemaOf(part: Part, schemas: Map[SchemaId, String]): Seq[Any] = Seq(
    part.schema.map(id => text(id.value)).orNull,
    part.schema.flatMap(schemas.get).map(text).orNull
  )

  private def closedRow(
      part: Pending,
      state: String,
      record: LogRecord,
      schemas: Map[SchemaId, String]
  ): InternalRow =
    row(
      Seq(text(part.bucket), text(part.name), text(state)) ++ counts(part) ++
        Seq(text(part.reason.word), record.state.lastEpoch.fold[Any](null)(identity)) ++ schemaOf(
          part,
          schemas
        )
    )

  private def openRow(part: Open, schemas: Map[SchemaId, String]): InternalRow =
    row(
      Seq(text(part.bucket), text(part.name), text("open")) ++ counts(part) ++ Seq(null, null) ++
        schemaOf(part, schemas)
    )

  private def open(part: Part): InternalRow =
    row(Seq(text(part.bucket), text(part.name)) ++ counts(part) :+ text(part.handle.brief))

  private def bucket(live: LiveBucket): InternalRow = row(
    Seq(
      text(live.bucket),
      live.version,
      live.added.files,
      live.added.rows,
      live.added.bytes,
      micros(live.lastWrittenAtMillis)
    )
  )

  private def announcement(status: AnnouncementStatus): InternalRow = row(
    Seq(
      text(status.logName),
      text(status.target),
      status.next,
      status.newest,
      status.lagRecords,
      status.waitingSinceMillis.fold[Any](null)(micros),
      status.failure.fold[Any](null)(failure => text(failure.reason)),
      status.failure.fold[Any](null)(failure => micros(failure.atMillis))
    )
  )

  private def epoch(record: LogRecord): InternalRow = row(
    Seq(
      record.seq,
      text(record.kind.word),
      record.kind match {
        case RecordKind.Epoch(epoch) => epoch
        case _                       => null
      },
      text(record.run.value),
      micros(record.writtenAtMillis),
      record.publish.size.toLong,
      record.publish.map(_.sizeBytes).sum,
      record.publish.map(_.records).sum,
      record.state.open.size.toLong,
      record.state.open.map(_.sizeBytes).sum
    )
  )

  private def counts(part: Part): Seq[Any] =
    Seq(part.sizeBytes, part.records, micros(part.openedAtMillis), micros(part.lastWrittenAtMillis))

  private def row(values: Seq[Any]): InternalRow = new GenericInternalRow(values.toArray)

  private def text(value: String): UTF8String = UTF8String.fromString(value)

  private def micros(millis: Long): Long = millis * 1000
}
