// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.util.{Map => JMap}

import org.apache.commons.io.output.CountingOutputStream
import org.apache.spark.TaskContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.format.bulk.WaitingRows
import stoplog.options.SparkOptions
import stoplog.part.SpoolFile
import stoplog.sink._
import stoplog.spark.{ConnectorProvider, QueryContext, SinkTable}
import stoplog.storage.NewPart
import stoplog.twophase.TwoPhaseSettings

/** `format("stoplog-wal")`: writes rows to a log, and then sends the rows to the target of the option
  * `sender`.
  */
final class WriteAheadProvider extends ConnectorProvider(WriteAheadSink.Format) {

  override def inferSchema(options: CaseInsensitiveStringMap): StructType =
    throw Errors.invalidOptions(Seq(s"${WriteAheadSink.Format} can only be written to."))

  override protected def table(schema: StructType, properties: JMap[String, String]): Table = {
    val options  = WriteAheadOptions.parse(SparkOptions.spelled(properties).toMap)
    val settings = TwoPhaseSettings(options.log)
    settings.path // throws if unset: the chunks need a directory, in a batch query too
    options.sender.check(options.passed, schema)
    val place = new LogPlace(settings.storage)
    SinkTable.twoPhase(schema, options.log, properties)(new WriteAheadRows(options, _, place))
  }
}

/** Writes the rows of each epoch to files of the sink's log. The epoch's record decides to send these files.
  * Separate tasks then send each file.
  */
private[wal] final class WriteAheadRows(
    options: WriteAheadOptions,
    schema: StructType,
    place: LogPlace
) extends TwoPhaseSink[InternalRow] {

  override def target: String = options.sender.target(options.passed)

  override def kind: String = "wal"

  override def writer(task: WriterTask): TwoPhaseWriter[InternalRow] = {
    val check = options.sender.rowCheck(options.passed, schema)
    new ChunkWriter(
      ChunkNote.of(options, schema),
      place,
      task,
      ChunkWriter.queryOf(task),
      options.places,
      { row => check(row); options.sender.rowsIn(row) }
    )
  }

  override def committer(): TwoPhaseCommitter = {
    val passed = options.passed
    options.committers.prepare(passed, place)
    val chunks = new ChunkSender(options, place, () => Faults.ofThisJvm)
    new ChunkCommitter(
      ChunkCommitter.inTask(SparkSession.active.sparkContext, chunks),
      options.committers.open(passed, place),
      options.sender.times(passed),
      place,
      ChunkBounds(options.places, options.movedFrom),
      ChunkCommitter.chunkLocksOfThisJvm,
      QueryContext.stopSignal()
    )
  }
}

/** Collects a task's rows, and writes the rows to the log as a single chunk.
  *
  * @param query  as in [[Chunk]]
  * @param places the places of the run
  * @param rowsIn returns the number of the query's rows in a row; throws for a row that cannot be sent
  */
private[wal] final class ChunkWriter(
    note: ChunkNote,
    place: LogPlace,
    task: WriterTask,
    query: String,
    places: ChunkPlaces,
    rowsIn: InternalRow => Long
) extends TwoPhaseWriter[InternalRow] {
  private val waiting    = new WaitingRows(note.schema.length)
  private val projection = UnsafeProjection.create(note.schema)

  private var rows = 0L

  override def write(row: InternalRow): Unit = {
    rows += rowsIn(row)
    waiting.append(row match {
      case unsafe: UnsafeRow => unsafe
      case other             => projection(other)
    })
  }

  override def prepare(): Vector[Prepared] = {
    var bytes = 0L
    val name  = s"chunk-${task.run.uid}-${task.epoch.fold(ChunkWriter.Job)(_.toString)}-${task.partition}-" +
      s"${task.stageAttempt}-${task.attempt}"
    val token = place.files.write(NewPart("", name, task.run)) { out =>
      val counted = new CountingOutputStream(out)
      waiting.writeTo(counted, note.text)
      bytes = counted.getByteCount
    }
    val chunk = ChunkToken(
      query,
      task.epoch,
      task.partition,
      SpoolFile(token, bytes, level = 0),
      ChunkDecision(task.run.value, places),
      task.times.startedAtMillis
    )
    Vector(Prepared(name, chunk.text, rows, bytes))
  }

  /** The file of a failed task is in no record, and recovery deletes it. */
  override def abort(): Unit = close()

  override def close(): Unit = waiting.close()
}

private[wal] object ChunkWriter {

  // In the name of a chunk, instead of the epoch.
  private val Job = "job"

  /** Returns whether a batch query has written the chunk's file. */
  def isOfJob(file: String): Boolean = file.split('/').last.split('-').toVector.lift(2).contains(Job)

  /** Returns the query of the task in this thread. */
  def queryOf(task: WriterTask): String = Option(TaskContext.get())
    .flatMap(context => Option(context.getLocalProperty(QueryContext.QueryId)))
    .filter(_ => task.epoch.isDefined)
    .getOrElse(task.run.value)
}
