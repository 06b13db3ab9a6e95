// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.spark

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.engine._
import stoplog.fault.Faults
import stoplog.jdbc.client.{Retries, Session}
import stoplog.jdbc.rejects.Rejects
import stoplog.jdbc.rows.{JdbcRow, RowKey, RowValues}
import stoplog.jdbc.staging.{SinkTables, StagingTable, TaskOutcome}
import stoplog.jdbc.write.{BatchScope, JdbcWriteSpec, TaskRows, TaskSession}

/** The table that tasks write to. */
private[jdbc] sealed trait WriteTarget extends Serializable
private[jdbc] object WriteTarget {
  final case class ByKey(key: RowKey)         extends WriteTarget
  final case class Staged(tables: SinkTables) extends WriteTarget
}

/** Sent to the executors, where the factory creates the writer of each task.
  *
  * @param committed the epoch that is already in the target
  */
private[jdbc] final class JdbcWriterFactory(
    spec: JdbcWriteSpec,
    sending: WriteTarget,
    committed: Option[Long]
) extends SinkWriterFactory[InternalRow, TaskOutcome] {
  override def writer(task: TaskAttempt): Option[JdbcWriter] =
    Option.unless(task.epoch.exists(committed.contains))(new JdbcWriter(rows(task.epoch), spec.values))

  private def rows(batch: Option[Long]): TaskRows = {
    val session = spec.session()
    val retries = spec.retries()
    val scope   = new BatchScope.OwnTransaction(session, retries, spec.target.writeFailed)
    val access  = TaskSession(session, scope, retries, Faults.ofThisJvm)
    val most    = spec.options.rows.batchRows
    sending match {
      case WriteTarget.ByKey(key) =>
        val rejects = spec.rejects(batch, Rejects.contentId(spec.sink, batch)) {
          spec.rejectTable.map(table =>
            rows =>
              retries(spec.target.writeFailed)(_ => session.transaction(_ => table.replace(session, rows)))
          )
        }
        TaskRows.upserts(access, spec.target, key, most, rejects)
      case WriteTarget.Staged(tables) =>
        val attempt = StagingTable.newAttempt()
        val rejects = spec.rejects(batch, (number, _) => s"$attempt-$number")(
          tables.rejects.map(staged => stagedRejects(session, retries, staged.staging, attempt))
        )
        TaskRows.staged(access, spec.target, tables.staging, attempt, most, rejects)
    }
  }

  private def stagedRejects(session: Session, retries: Retries, staging: StagingTable, attempt: String)(
      rows: IndexedSeq[JdbcRow]
  ): Unit = {
    // Each id contains the number of its row, so that the rows of an interrupted attempt can be found.
    val first = rows.head.values(0).toString.drop(attempt.length + 1).toLong
    retries(spec.target.writeFailed) { before =>
      session.transaction { _ =>
        if (before > 0) staging.removeFrom(session, attempt, first)
        staging.insert(session, attempt, first, rows)
      }
    }
  }
}

/** Writes the rows of a task to the database. */
private[jdbc] final class JdbcWriter(sent: TaskRows, values: RowValues)
    extends SinkWriter[InternalRow, TaskOutcome] {
  private[this] var done    = Option.empty[TaskOutcome]
  private[this] var written = 0L

  override def write(row: InternalRow): Unit = {
    sent.write(values.of(row))
    written += 1
  }

  override def commit(): TaskOutcome = {
    val result = sent.finish()
    done = Some(result)
    result
  }

  /** Deletes nothing (I5). */
  override def abort(): Unit = sent.close()

  override def close(): Unit = sent.close()

  override def rows: Long = written

  override def counts: Seq[(TaskMetric, () => Long)] =
    JdbcWriter.Metrics.zip(Seq(ofDone(_.rows), ofDone(_.rejects), ofDone(_.retries)))

  private def ofDone(count: TaskOutcome => Long): () => Long = () => done.fold(0L)(count)
}

private[jdbc] object JdbcWriter {
  val Metrics: Seq[TaskMetric] = Seq(
    TaskMetric("stoplogJdbcSentRows", "rows sent to the database"),
    TaskMetric("stoplogJdbcRejectedRows", "rows rejected"),
    TaskMetric("stoplogJdbcRetries", "batches tried again")
  )
}
