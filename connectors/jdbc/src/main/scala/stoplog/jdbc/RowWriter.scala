// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.util.UUID

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.write.{DataWriter, DataWriterFactory, WriterCommitMessage}
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory

import stoplog.fault.Faults
import stoplog.spark.OutputMetrics

/** Where tasks put their rows. */
private[jdbc] sealed trait Sending extends Serializable
private[jdbc] object Sending {
  case object ByKey                           extends Sending
  final case class Staged(tables: SinkTables) extends Sending
}

/** Goes to the executors, and makes each task's writer there.
  *
  * @param begun whether an epoch is to be written
  */
private[jdbc] final class RowWriterFactory(spec: SinkSpec, sending: Sending, begun: Long => Begun)
    extends StreamingDataWriterFactory
    with DataWriterFactory {
  private val values =
    new RowValues(spec.schema, spec.options.sparkUrl, keepsOrigin = spec.options.rejectTable.isDefined)

  override def createWriter(partitionId: Int, taskId: Long, epochId: Long): DataWriter[InternalRow] =
    begun(epochId) match {
      case Begun.Committed => NothingToWrite
      case Begun.Open      => new RowWriter(rows(Some(epochId)), values)
    }

  override def createWriter(partitionId: Int, taskId: Long): DataWriter[InternalRow] =
    new RowWriter(rows(batch = None), values)

  private def rows(batch: Option[Long]): TaskRows = {
    val session = spec.session()
    val retries = spec.retries()
    val scope   = new BatchScope.OwnTransaction(session, retries, spec.target.writeFailed)
    val faults  = Faults.ofThisJvm
    sending match {
      case Sending.ByKey =>
        val rejects = rejecting(batch, Rejects.contentId(spec.sink, batch)) {
          spec.rejectTable.map(table =>
            rows =>
              retries(spec.target.writeFailed)(_ => session.transaction(_ => table.replace(session, rows)))
          )
        }
        new UpsertRows(
          session,
          scope,
          retries,
          spec.target,
          spec.keys.toArray,
          spec.options.batchRows,
          rejects,
          faults
        )
      case Sending.Staged(tables) =>
        val attempt = UUID.randomUUID().toString
        val rejects = rejecting(batch, (number, _) => s"$attempt-$number")(
          tables.rejects.map(staged => stagedRejects(session, retries, staged.staging, attempt))
        )
        new StagedRows(
          session,
          scope,
          retries,
          spec.target,
          tables.staging,
          attempt,
          spec.options.batchRows,
          rejects,
          faults
        )
    }
  }

  private def rejecting(batch: Option[Long], identify: (Long, String) => String)(
      send: Option[IndexedSeq[JdbcRow] => Unit]
  ): Rejects = send match {
    case None       => new Rejects.Fail(spec.target, spec.texts.text)
    case Some(send) =>
      new Rejects.Keep(spec.sink, batch, spec.options.batchRows, spec.texts.text, identify, send)
  }

  private def stagedRejects(session: Session, retries: Retries, staging: Staging, attempt: String)(
      rows: IndexedSeq[JdbcRow]
  ): Unit = {
    // Each id has the number of its row, so that what a broken-off try has left is found.
    val first = rows.head.values(0).toString.drop(attempt.length + 1).toLong
    retries(spec.target.writeFailed) { before =>
      session.transaction { _ =>
        if (before > 0) staging.removeFrom(session, attempt, first)
        staging.insert(session, attempt, first, rows)
      }
    }
  }
}

/** What a task tells the driver; nothing if its epoch was in the target already. */
private[jdbc] final case class TaskMessage(result: Option[TaskResult]) extends WriterCommitMessage

private[jdbc] object TaskMessage {
  def results(messages: Array[WriterCommitMessage]): Seq[TaskResult] =
    messages.toSeq.collect { case TaskMessage(Some(result)) => result }
}

/** One task's rows on their way into the database. */
private[jdbc] final class RowWriter(rows: TaskRows, values: RowValues) extends DataWriter[InternalRow] {
  private[this] var done    = Option.empty[TaskResult]
  private[this] var written = 0L

  override def write(row: InternalRow): Unit = {
    rows.write(values.of(row))
    written += 1
  }

  override def commit(): WriterCommitMessage = {
    done = Some(rows.finish())
    TaskMessage(done)
  }

  /** Deletes nothing (I5). */
  override def abort(): Unit = rows.close()

  override def close(): Unit = rows.close()

  override def currentMetricsValues(): Array[CustomTaskMetric] =
    TaskMetrics.values(done) ++ OutputMetrics.ofRows(written)
}

/** The writer of an epoch that is in the target: Spark repeats an epoch whose commit it has not seen. */
private[jdbc] object NothingToWrite extends DataWriter[InternalRow] {
  override def write(row: InternalRow): Unit = ()
  override def commit(): WriterCommitMessage = TaskMessage(None)
  override def abort(): Unit                 = ()
  override def close(): Unit                 = ()
}
