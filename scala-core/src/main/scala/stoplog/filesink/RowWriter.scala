// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import java.io.{ByteArrayOutputStream, OutputStream}
import java.util.{Iterator => JIterator}

import scala.util.Try

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.InternalRow

import stoplog.bucket.BucketId
import stoplog.commit._
import stoplog.engine.{SinkWriter, SinkWriterFactory, TaskAttempt, TaskMetric}
import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.format.RejectedLines
import stoplog.format.RejectedLines.RejectedRow
import stoplog.part.{PartNaming, Spooled}
import stoplog.plan.{Attempt, TaskPlan, TaskPlans, TaskResult}
import stoplog.sink.BatchTimes
import stoplog.thread.{Clock, Outcomes}
import stoplog.writing.{
  BadRow, Member, PartBuffer, PartEncoder, PartFormat, RowPartEncoder, SpoolWriter, TaskWriter
}

/** Writes the rows of one task through the commit protocol. */
private[filesink] final class RowWriter(
    writer: TaskWriter[InternalRow],
    buckets: RowBuckets,
    badRows: RowWriterFactory.BadRows
) extends SinkWriter[InternalRow, TaskResult] {
  override def rows: Long = writer.rowsWritten

  override def bytes: Option[Long] = Some(writer.counts.bytesWritten)

  override def write(row: InternalRow): Unit =
    try writer.write(buckets.of(row), row)
    catch {
      case bad: BadRow => badRows.take(row, RowWriterFactory.BadRows.knownBucket(buckets.of(row)), bad)
    }

  override def writeAll(rows: JIterator[InternalRow]): Unit = while (rows.hasNext) write(rows.next())

  override def commit(): TaskResult = badRows.commit(writer.commit())

  /** Deletes nothing (I5). */
  override def abort(): Unit = close()

  override def close(): Unit = Outcomes.each(() => writer.close(), () => badRows.close())

  override def counts: Seq[(TaskMetric, () => Long)] = RowWriter.Metrics.zip(
    Seq[() => Long](
      () => writer.counts.partsOpened,
      () => writer.counts.partsClosed,
      () => writer.counts.bytesWritten
    )
  )
}

private[filesink] object RowWriter {
  val Metrics: Seq[TaskMetric] = Seq(
    TaskMetric("stoplogPartsOpened", "parts opened"),
    TaskMetric("stoplogPartsClosed", "parts closed"),
    TaskMetric("stoplogBytesWritten", "bytes written to parts")
  )
}

/** Creates the writer of each task. Serialized to the executors with an epoch's plan.
  *
  * @param times the times of the micro-batch
  */
private[filesink] final class RowWriterFactory(
    plan: TaskPlans,
    sink: FileSinkSpec,
    times: BatchTimes = BatchTimes.unknown
) extends SinkWriterFactory[InternalRow, TaskResult] {
  import RowBuckets.RowContext
  import RowWriterFactory.BadRows

  override def writer(task: TaskAttempt): Option[RowWriter] =
    Option.unless(task.epoch.exists(plan.isCommitted))(create(task))

  private def create(task: TaskAttempt): RowWriter = {
    val attempt  = Attempt.of(task.attempt, task.stageAttempt)
    val taskPlan = plan.forTaskAt(task.partition, attempt, Clock.system.millis())
    val assigner = sink.rows.assigner
    assigner.open(sink.schema)
    new RowWriter(
      writer[InternalRow](
        taskPlan,
        sink.rows.format.open(sink.storage.spoolFiles),
        sink.parts.naming,
        refuseBadBucket,
        TaskWriter.Times(sink.times.ofManifests, sink.times.event.ofPolicy)
      ),
      RowBuckets.of(assigner, new RowContext(Clock.system, sink.times.event.column, times)),
      badRows(taskPlan, task.epoch)
    )
  }

  /** Rejected rows are written to ordinary parts, in directories without any other rows. */
  private def badRows(taskPlan: TaskPlan, batch: Option[Long]): BadRows = sink.rows.rejects match {
    case None          => BadRows.Fail
    case Some(rejects) =>
      val naming = PartNaming(sink.parts.naming.prefix, RejectedLines.Suffix)
      new BadRows.Reject(
        rejects.directory,
        batch,
        sink.storage.bucketProblem(_, naming).isEmpty,
        () =>
          writer[RejectedRow](
            taskPlan,
            new BadRows.Format(rejects.lines),
            naming,
            checkBucket = _ => (),
            TaskWriter.Times[RejectedRow]()
          )
      )
  }

  private def writer[R](
      taskPlan: TaskPlan,
      format: PartFormat[R],
      naming: PartNaming,
      checkBucket: String => Unit,
      times: TaskWriter.Times[R]
  ): TaskWriter[R] =
    new TaskWriter[R](
      taskPlan,
      sink.storage.parts,
      new SpoolWriter(sink.storage.spoolFiles, Faults.ofThisJvm),
      format,
      TaskWriter.Rules(
        sink.parts.policy,
        naming,
        sink.parts.maxOpen,
        checkBucket,
        () => sink.storage.refuseIfOvertaken(taskPlan.seq),
        sink.storage.inRecord
      ),
      TaskWriter.Tools(Clock.system, Faults.ofThisJvm, DriverTools.inTasks),
      times
    )

  private def refuseBadBucket(id: String): Unit = {
    BucketId
      .problem(id)
      .orElse(sink.storage.bucketProblem(id, sink.parts.naming))
      .foreach(why => throw new BadRow(Errors.bucketId(id, why)))
    sink.parts.within.foreach(_.refuseOutside(id))
  }
}

private[filesink] object RowWriterFactory {

  /** The handling of a task's rows that cannot be written. */
  private[stoplog] sealed trait BadRows {

    /** @param bucket the intended bucket, if known and valid
      */
    def take(row: InternalRow, bucket: Option[String], bad: BadRow): Unit

    /** Returns the result with all received rows, durable. */
    def commit(result: TaskResult): TaskResult

    /** Deletes nothing (I5). */
    def close(): Unit
  }

  private[stoplog] object BadRows {

    /** Returns the bucket of the row. `None` if the bucket itself is the problem. */
    def knownBucket(ask: => String): Option[String] = Try(ask).toOption.filter(BucketId.problem(_).isEmpty)

    /** The task fails, together with its epoch. */
    case object Fail extends BadRows {
      override def take(row: InternalRow, bucket: Option[String], bad: BadRow): Unit = bad.getCause match {
        case named: SparkThrowable if String.valueOf(named.getCondition).startsWith("STOPLOG_") =>
          throw bad.getCause
        case why => throw Errors.badRow(bucket, why)
      }

      override def commit(result: TaskResult): TaskResult = result
      override def close(): Unit                          = ()
    }

    /** Writes bad rows to separate parts, which the same record publishes (I3).
      *
      * @param directory the directory of all rejected rows, below the sink's path; contains a directory for
      *                  each bucket
      * @param canHave   whether the storage supports a part in a bucket
      * @param newWriter creates the writer of these parts, which most tasks do not need
      */
    final class Reject(
        directory: String,
        batch: Option[Long],
        canHave: String => Boolean,
        newWriter: () => TaskWriter[RejectedRow]
    ) extends BadRows {
      private[this] var writer = Option.empty[TaskWriter[RejectedRow]]
      private[this] var rows   = 0L
      private[this] var last   = Option.empty[String] // the supported bucket of the preceding row

      override def take(row: InternalRow, bucket: Option[String], bad: BadRow): Unit = {
        val known = bucket.filter(id => id.isEmpty || last.contains(id) || canHave(below(id)))
        last = known
        opened().write(
          known.filter(_.nonEmpty).fold(directory)(below),
          RejectedRow(row, known, batch, bad.getCause)
        )
        rows += 1
      }

      private def below(bucket: String): String = s"$directory/$bucket"

      override def commit(result: TaskResult): TaskResult =
        writer.fold(result)(rejected => result.withRejected(rejected.commit(), rows))

      override def close(): Unit = writer.foreach(_.close())

      private def opened(): TaskWriter[RejectedRow] = writer.getOrElse {
        val made = newWriter()
        writer = Some(made)
        made
      }
    }

    /** Lines without compression: the number of lines is small, and people read the files. */
    final class Format(lines: RejectedLines) extends PartFormat[RejectedRow] {
      private[this] val scratch = new ByteArrayOutputStream()

      lines.open()

      override def begin(name: String, end: PartBuffer): PartEncoder[RejectedRow] =
        new Lines(end, RowPartEncoder.Empty)

      override def resume(name: String, end: PartBuffer, spooled: Spooled): PartEncoder[RejectedRow] =
        new Lines(end, RowPartEncoder.Started)

      private final class Lines(end: PartBuffer, from: RowPartEncoder.Content)
          extends RowPartEncoder[RejectedRow](end, from) {

        override protected def start(out: OutputStream): Unit = ()

        override protected def encode(row: RejectedRow, out: OutputStream): Unit = {
          scratch.reset()
          lines.write(row, scratch)
          scratch.writeTo(out)
        }

        override protected def openMember(out: OutputStream): Option[Member] = None
      }
    }
  }
}
