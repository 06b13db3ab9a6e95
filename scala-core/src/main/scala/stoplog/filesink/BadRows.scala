// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import java.io.{ByteArrayOutputStream, OutputStream}

import scala.util.Try

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.InternalRow

import stoplog.bucket.BucketId
import stoplog.commit.{BadRow, Member, RowFormat, TaskResult, TaskWriter}
import stoplog.error.Errors
import stoplog.format.{RejectedLines, RejectedRow}

/** The treatment of a task's rows that cannot be written. */
private[stoplog] sealed trait BadRows {

  /** @param bucket where it would have gone, if that is known and can be a bucket */
  def take(row: InternalRow, bucket: Option[String], bad: BadRow): Unit

  /** With what the task was given, durable. */
  def commit(result: TaskResult): TaskResult

  /** Deletes nothing (I5). */
  def close(): Unit
}

private[stoplog] object BadRows {

  /** The bucket of the row; `None` if the bucket itself is the problem. */
  def knownBucket(ask: => String): Option[String] = Try(ask).toOption.filter(BucketId.problem(_).isEmpty)

  /** The task fails, and its epoch with it. */
  case object Fail extends BadRows {
    override def take(row: InternalRow, bucket: Option[String], bad: BadRow): Unit = bad.getCause match {
      case named: SparkThrowable if String.valueOf(named.getCondition).startsWith("STOPLOG_") =>
        throw bad.getCause
      case why => throw Errors.badRow(bucket, why)
    }

    override def commit(result: TaskResult): TaskResult = result
    override def close(): Unit                          = ()
  }

  /** They go into parts of their own, which the same record publishes (I3).
    *
    * @param directory that of all rejected rows, under the sink's path; they keep their bucket below it
    * @param newWriter makes the writer of these parts, which most tasks do not need
    */
  final class Reject(directory: String, batch: Option[Long], newWriter: () => TaskWriter[RejectedRow])
      extends BadRows {
    private[this] var writer = Option.empty[TaskWriter[RejectedRow]]
    private[this] var rows   = 0L

    override def take(row: InternalRow, bucket: Option[String], bad: BadRow): Unit = {
      val below = bucket.filter(_.nonEmpty).fold(directory)(id => s"$directory/$id")
      opened().write(below, RejectedRow(row, bucket, batch, bad.getCause))
      rows += 1
    }

    override def commit(result: TaskResult): TaskResult =
      writer.fold(result)(rejected => result.withRejected(rejected.commit(), rows))

    override def close(): Unit = writer.foreach(_.close())

    private def opened(): TaskWriter[RejectedRow] = writer.getOrElse {
      val made = newWriter()
      writer = Some(made)
      made
    }
  }

  /** Lines that are not compressed: there are few, and people look at them. */
  final class Format(lines: RejectedLines) extends RowFormat[RejectedRow] {
    private[this] val scratch = new ByteArrayOutputStream()

    lines.open()

    override def start(out: OutputStream): Unit = ()

    override def encode(row: RejectedRow, out: OutputStream): Unit = {
      scratch.reset()
      lines.write(row, scratch)
      scratch.writeTo(out)
    }

    override def openMember(out: OutputStream): Option[Member] = None
  }
}
