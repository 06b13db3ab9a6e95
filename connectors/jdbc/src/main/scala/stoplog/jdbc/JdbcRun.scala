// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.util.UUID

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.engine._
import stoplog.error.Log
import stoplog.fault.Faults
import stoplog.thread.Uninterrupted

/** One start of a query: what lasts from epoch to epoch. */
private[jdbc] abstract class JdbcRun extends EngineRun[InternalRow, TaskOutcome] {
  @volatile private var total = SinkCounts.empty

  override def counts: Seq[(String, Long)] = total.values

  /** @param refused rows that the target refused at the commit */
  protected def committed(results: Seq[TaskOutcome], refused: Long, millis: Long): Unit = {
    val rejected = results.map(_.rejects).sum + refused
    total = SinkCounts(
      total.rows + results.map(_.rows).sum - refused,
      total.rejected + rejected,
      total.epochs + 1,
      total.retries + results.map(_.retries).sum,
      millis
    )
  }
}

/** The counts of a run: `StreamingQueryProgress.sink.metrics`.
  *
  * @param commitMillis how long the last epoch's transaction took
  */
private[jdbc] final case class SinkCounts(
    rows: Long,
    rejected: Long,
    epochs: Long,
    retries: Long,
    commitMillis: Long
) {
  def values: Seq[(String, Long)] = Seq(
    "writtenRows"     -> rows,
    "rejectedRows"    -> rejected,
    "epochsCommitted" -> epochs,
    "retries"         -> retries,
    "commitMillis"    -> commitMillis
  )
}

private[jdbc] object SinkCounts {
  val empty: SinkCounts = SinkCounts(0, 0, 0, 0, 0)
}

/** One start of a query of upserts. The tasks do it all; an epoch that the engine repeats finds its rows there and
  * changes nothing.
  */
private[jdbc] final class UpsertRun(spec: SinkSpec) extends JdbcRun {
  UpsertRun.prepare(spec)

  override def begin(epoch: EpochStart): SinkWriterFactory[InternalRow, TaskOutcome] = UpsertRun.writers(spec)

  override def commit(batch: Long, results: Seq[TaskOutcome]): Unit =
    committed(results, refused = 0, millis = 0)
}

/** A batch job of upserts. */
private[jdbc] final class UpsertJob(spec: SinkSpec) extends EngineJob[InternalRow, TaskOutcome] {

  override def begin(slots: Int): SinkWriterFactory[InternalRow, TaskOutcome] = {
    UpsertRun.prepare(spec)
    UpsertRun.writers(spec)
  }

  override def commit(results: Seq[TaskOutcome]): Unit = ()

  override def abort(results: Seq[TaskOutcome]): Unit = ()
}

private[jdbc] object UpsertRun {
  def writers(spec: SinkSpec) = new JdbcWriterFactory(spec, Sending.ByKey, committed = None)

  /** The reject table has to be there before tasks need it. */
  def prepare(spec: SinkSpec): Unit = spec.rejectTable.foreach { rejects =>
    Session.use(() => spec.session(), spec.target) { session =>
      new OwnTables(session, spec.retries(), spec.target).ensure(rejects)
    }
  }
}

/** One start of a query of exactly-once inserts. */
private[jdbc] final class TransactionalRun(
    spec: SinkSpec,
    mode: WriteMode.Transactional,
    owner: SinkOwner,
    existing: Existing
) extends JdbcRun {
  private val tables = spec.tables(spec.options.sinkId, mode)
  private val driver = spec.epochDriver(tables, owner, mode)

  override def begin(epoch: EpochStart): SinkWriterFactory[InternalRow, TaskOutcome] = {
    val committed = driver.begin(epoch.batch, epoch.digests) match {
      case Begun.Committed => Some(epoch.batch)
      case Begun.Open      => None
    }
    new JdbcWriterFactory(spec, Sending.Staged(tables), committed)
  }

  override def commit(batch: Long, results: Seq[TaskOutcome]): Unit = {
    val begun   = System.nanoTime()
    val refused = driver.commit(batch, results, existing)
    committed(results, refused, (System.nanoTime() - begun) / 1000000)
  }
}

/** A batch job: its rows come by one transaction, which an overwrite begins by deleting those that are there. The job
  * is a sink of its own that has one epoch.
  */
private[jdbc] final class TransactionalJob(
    spec: SinkSpec,
    mode: WriteMode.Transactional,
    queryId: String,
    existing: Existing
) extends EngineJob[InternalRow, TaskOutcome] {
  private final val OnlyEpoch = 0L

  private val tables = spec.tables(s"job-$queryId", mode)
  private val driver = spec.epochDriver(tables, SinkOwner(queryId, query = None), mode)

  override def begin(slots: Int): SinkWriterFactory[InternalRow, TaskOutcome] = {
    driver.begin(OnlyEpoch)
    new JdbcWriterFactory(spec, Sending.Staged(tables), committed = None)
  }

  /** Once the rows are there the job has succeeded, whatever it cannot remove: a failed one would be run again. */
  override def commit(results: Seq[TaskOutcome]): Unit = {
    driver.commit(OnlyEpoch, results, existing)
    Log.tolerating(
      s"The rows of a batch job are in ${spec.target.table}; its row ${tables.sink} in ${tables.epochs.table} and " +
        s"its table ${tables.staging.table} could not be removed: delete them"
    )(Uninterrupted.call(driver.forget()))
  }

  /** No job repeats its commit, so staged rows are of no use, unless they are in the target already. */
  override def abort(results: Seq[TaskOutcome]): Unit = driver.abandon()
}

/** The table that tasks write to. */
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
  private val values = spec.values

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
        val rejects = spec.rejects(batch, Rejects.contentId(spec.sink, batch)) {
          spec.rejectTable.map(table =>
            rows =>
              retries(spec.target.writeFailed)(_ => session.transaction(_ => table.replace(session, rows)))
          )
        }
        new UpsertRows(access, spec.target, spec.keys.toArray, most, rejects)
      case Sending.Staged(tables) =>
        val attempt = UUID.randomUUID().toString
        val rejects = spec.rejects(batch, (number, _) => s"$attempt-$number")(
          tables.rejects.map(staged => stagedRejects(session, retries, staged.staging, attempt))
        )
        new StagedRows(access, spec.target, tables.staging, attempt, most, rejects)
    }
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
