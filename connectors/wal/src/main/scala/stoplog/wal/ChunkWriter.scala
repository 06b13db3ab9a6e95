// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.io.{FilterOutputStream, OutputStream}

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.StructType

import stoplog.format.bulk.WaitingRows
import stoplog.part.SpoolFile
import stoplog.sink.{Prepared, TwoPhaseWriter, WriterTask}
import stoplog.storage.NewPart

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
      SpoolFile(token, bytes, level = 0),
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
