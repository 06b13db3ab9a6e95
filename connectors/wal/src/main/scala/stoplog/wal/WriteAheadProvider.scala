// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.io.{FilterOutputStream, OutputStream}
import java.util.{Map => JMap}

import org.apache.spark.TaskContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.connector.catalog.{SessionConfigSupport, Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.engine.JarVersions
import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.format.bulk.WaitingRows
import stoplog.options.SparkOptions
import stoplog.part.SideFile
import stoplog.sink._
import stoplog.spark.TwoPhaseTable
import stoplog.storage.NewPart
import stoplog.twophase.{TwoPhaseEngineSink, TwoPhaseSettings}

/** `format("stoplog-wal")`: rows go to a log first, and then to whatever the option `sender` names. */
final class WriteAheadProvider extends TableProvider with DataSourceRegister with SessionConfigSupport {

  override def shortName(): String = "stoplog-wal"

  override def keyPrefix(): String = "stoplog-wal"

  /** The rows' schema comes with the write. */
  override def supportsExternalMetadata(): Boolean = true

  override def inferSchema(options: CaseInsensitiveStringMap): StructType =
    throw Errors.invalidOptions(Seq("stoplog-wal can only be written to."))

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: JMap[String, String]
  ): Table = {
    JarVersions.check("stoplog-wal", getClass)
    val options  = WriteAheadOptions.parse(SparkOptions.spelled(properties).toMap)
    val settings = TwoPhaseSettings.of(options.log, fixed = Map.empty)
    settings.path // rows have to lie somewhere, in a batch query too
    options.sender.check(options.passed, schema)
    TwoPhaseTable(
      new TwoPhaseEngineSink(
        schema,
        (rows: StructType) => new WriteAheadRows(options, rows, new LogPlace(settings)),
        settings
      ),
      properties
    )
  }
}

/** Rows of each epoch go to files of the sink's log; the record of the epoch decides that they are sent; then they are sent,
  * file by file, by tasks of their own.
  */
private[wal] final class WriteAheadRows(
    options: WriteAheadOptions,
    schema: StructType,
    place: LogPlace
) extends TwoPhaseSink[InternalRow] {

  override def target: String = options.sender.target(options.passed)

  override def writer(task: WriterTask): TwoPhaseWriter[InternalRow] =
    new ChunkWriter(schema, place, task, ChunkWriter.queryOf(task))

  override def committer(): TwoPhaseCommitter = {
    val passed = options.passed
    options.committers.prepare(passed, place)
    val chunks = new ChunkSender(options, place, () => Faults.ofThisJvm)
    new ChunkCommitter(
      ChunkCommitter.inTask(SparkSession.active.sparkContext, chunks),
      options.committers.open(passed, place),
      options.sender.times(passed),
      place,
      ChunkCommitter.turnsOfThisJvm
    )
  }
}

/** Gathers a task's rows, and writes them to the log as one chunk.
  *
  * @param query as in [[Chunk]]
  */
private[wal] final class ChunkWriter(schema: StructType, place: LogPlace, task: WriterTask, query: String)
    extends TwoPhaseWriter[InternalRow] {
  private val waiting    = new WaitingRows(schema.length)
  private val projection = UnsafeProjection.create(schema)

  override def write(row: InternalRow): Unit = waiting.append(row match {
    case unsafe: UnsafeRow => unsafe
    case other             => projection(other)
  })

  override def prepare(): Vector[Prepared] = {
    var bytes = 0L
    val name  = s"chunk-${task.run.uid}-${task.epoch.fold("job")(_.toString)}-${task.partition}-" +
      s"${task.stageAttempt}-${task.attempt}"
    val token = place.files.write(NewPart("", name, task.run)) { out =>
      val counted = new ChunkWriter.Counted(out)
      waiting.writeTo(counted, note = schema.json)
      bytes = counted.bytes
    }
    val chunk = ChunkToken(
      query,
      task.epoch,
      task.partition,
      SideFile(token, bytes, level = 0),
      task.times.startedAtMillis
    )
    Vector(Prepared(name, chunk.text, waiting.rows, bytes))
  }

  /** What it may have written is in no record, and is found by recovery. */
  override def abort(): Unit = close()

  override def close(): Unit = waiting.close()
}

private[wal] object ChunkWriter {

  // The name of Spark's own constant, which is out of reach.
  private final val QueryId = "sql.streaming.queryId"

  /** Of the task that runs in this thread. */
  def queryOf(task: WriterTask): String = Option(TaskContext.get())
    .flatMap(context => Option(context.getLocalProperty(QueryId)))
    .filter(_ => task.epoch.isDefined)
    .getOrElse(task.run.value)

  final class Counted(out: OutputStream) extends FilterOutputStream(out) {
    var bytes: Long = 0

    override def write(byte: Int): Unit = {
      out.write(byte)
      bytes += 1
    }

    override def write(buffer: Array[Byte], from: Int, length: Int): Unit = {
      out.write(buffer, from, length)
      bytes += length
    }
  }
}
