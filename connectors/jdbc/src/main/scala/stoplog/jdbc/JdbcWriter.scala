// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.util.UUID

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.engine.{SinkWriter, SinkWriterFactory, TaskAttempt, TaskMetric}
import stoplog.fault.Faults

/** Where tasks put their rows. */
private[jdbc] sealed trait Sending extends Serializable
private[jdbc] object Sending {
  case object ByKey                           extends Sending
  final case class Staged(tables: SinkTables) extends Sending
}

/** Goes to the executors, and makes each task's writer there.
  *
  * @param committed the epoch that the target has already
  */
private[jdbc] final class JdbcWriterFactory(spec: SinkSpec, sending: Sending, committed: Option[Long])
    extends SinkWriterFactory[InternalRow, TaskOutcome] {
  private val values =
    new RowValues(spec.schema, spec.options.sparkUrl, keepsOrigin = spec.rejectTable.isDefined)

  override def writer(task: TaskAttempt): Option[JdbcWriter] =
    Option.unless(task.epoch.exists(committed.contains))(new JdbcWriter(rows(task.epoch), values))

  private def rows(batch: Option[Long]): TaskRows = {
    val session = spec.session()
    val retries = spec.retries()
    val scope   = new BatchScope.OwnTransaction(session, retries, spec.target.writeFailed)
    val access  = TaskSession(session, scope, retries, Faults.ofThisJvm)
    val most    = spec.options.rows.batchRows
    sending match {
      case Sending.ByKey =>
        val rejects = rejecting(batch, Rejects.contentId(spec.sink, batch)) {
          spec.rejectTable.map(table =>
            rows =>
              retries(spec.target.writeFailed)(_ => session.transaction(_ => table.replace(session, rows)))
          )
        }
        new UpsertRows(access, spec.target, spec.keys.toArray, most, rejects)
      case Sending.Staged(tables) =>
        val attempt = UUID.randomUUID().toString
        val rejects = rejecting(batch, (number, _) => s"$attempt-$number")(
          tables.rejects.map(staged => stagedRejects(session, retries, staged.staging, attempt))
        )
        new StagedRows(access, spec.target, tables.staging, attempt, most, rejects)
    }
  }

  private def rejecting(batch: Option[Long], identify: (Long, String) => String)(
      send: Option[IndexedSeq[JdbcRow] => Unit]
  ): Rejects = send match {
    case None       => new Rejects.Fail(spec.target, spec.texts.text)
    case Some(send) =>
      new Rejects.Keep(spec.sink, batch, spec.options.rows.batchRows, spec.texts.text, identify, send)
  }

  private def stagedRejects(session: Session, retries: Retries, staging: StagingTable, attempt: String)(
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

/** One task's rows on their way into the database. */
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

  override def counts: Seq[(TaskMetric, Long)] =
    JdbcWriter.Metrics.zip(done.fold(Seq(0L, 0L, 0L))(task => Seq(task.rows, task.rejects, task.retries)))
}

private[jdbc] object JdbcWriter {
  val Metrics: Seq[TaskMetric] = Seq(
    TaskMetric("stoplogJdbcSentRows", "rows sent to the database"),
    TaskMetric("stoplogJdbcRejectedRows", "rows rejected"),
    TaskMetric("stoplogJdbcRetries", "batches tried again")
  )
}
