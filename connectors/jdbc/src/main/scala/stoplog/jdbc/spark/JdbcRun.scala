// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.spark

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.engine._
import stoplog.error.Log
import stoplog.jdbc.client.Session
import stoplog.jdbc.options.WriteMode
import stoplog.jdbc.staging.{CreatedTables, EpochStatus, SinkOwner, TaskOutcome}
import stoplog.jdbc.write.JdbcWriteSpec
import stoplog.spark.QueryContext
import stoplog.thread.{StopSignal, Uninterrupted}

/** The run of a query: the state that is kept between epochs. */
private[jdbc] abstract class JdbcRun extends EngineRun[InternalRow, TaskOutcome] {
  @volatile private var total = SinkCounts.empty

  override def counts: Seq[(String, Long)] = total.values

  /** @param refused the number of rows that the target rejected at the commit */
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

/** The counts of a run, reported in `StreamingQueryProgress.sink.metrics`.
  *
  * @param commitMillis the duration of the last epoch's transaction
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

/** The run of a query with upserts. The tasks write all rows; an epoch that the engine repeats finds its rows
  * in the target and has no effect.
  */
private[jdbc] final class UpsertRun(spec: JdbcWriteSpec) extends JdbcRun {
  UpsertRun.prepare(spec)

  override def begin(epoch: EpochStart): SinkWriterFactory[InternalRow, TaskOutcome] = UpsertRun.writers(spec)

  override def commit(batch: Long, results: Seq[TaskOutcome]): Unit =
    committed(results, refused = 0, millis = 0)
}

/** A batch job with upserts. */
private[jdbc] final class UpsertJob(spec: JdbcWriteSpec) extends EngineJob[InternalRow, TaskOutcome] {

  override def begin(slots: Int): SinkWriterFactory[InternalRow, TaskOutcome] = {
    UpsertRun.prepare(spec)
    UpsertRun.writers(spec)
  }

  override def commit(results: Seq[TaskOutcome]): Unit = ()

  override def abort(results: Seq[TaskOutcome]): Unit = ()
}

private[jdbc] object UpsertRun {
  def writers(spec: JdbcWriteSpec) =
    new JdbcWriterFactory(spec, WriteTarget.ByKey(spec.key.get), committed = None)

  /** Creates the reject table before the tasks need the table. */
  def prepare(spec: JdbcWriteSpec): Unit = spec.rejectTable.foreach { rejects =>
    Session.use(() => spec.session(), spec.target.writeFailed) { session =>
      new CreatedTables(session, spec.retries(), spec.target).ensure(rejects)
    }
  }
}

/** The run of a query with exactly-once inserts. */
private[jdbc] final class TransactionalRun(
    spec: JdbcWriteSpec,
    mode: WriteMode.Transactional,
    owner: SinkOwner,
    existing: Existing
) extends JdbcRun {
  private val tables = spec.tables(spec.options.sinkId, mode)
  private val driver = spec.epochDriver(tables, owner, mode)

  override def begin(epoch: EpochStart): SinkWriterFactory[InternalRow, TaskOutcome] = {
    val committed = driver.begin(epoch.batch, epoch.digests) match {
      case EpochStatus.Committed => Some(epoch.batch)
      case EpochStatus.Open      => None
    }
    new JdbcWriterFactory(spec, WriteTarget.Staged(tables), committed)
  }

  override def commit(batch: Long, results: Seq[TaskOutcome]): Unit = {
    val begun   = System.nanoTime()
    val refused = StopSignal.during(QueryContext.stopSignal())(driver.commit(batch, results, existing))
    committed(results, refused, (System.nanoTime() - begun) / 1000000)
  }
}

/** A batch job with a single transaction for its rows; an overwrite first deletes the existing rows in this
  * transaction. The job is a separate sink with a single epoch.
  */
private[jdbc] final class TransactionalJob(
    spec: JdbcWriteSpec,
    mode: WriteMode.Transactional,
    queryId: String,
    existing: Existing
) extends EngineJob[InternalRow, TaskOutcome] {
  private final val OnlyEpoch = 0L

  private val tables = spec.tables(s"job-$queryId", mode)
  private val driver = spec.epochDriver(tables, SinkOwner(queryId, query = None), mode)

  override def begin(slots: Int): SinkWriterFactory[InternalRow, TaskOutcome] = {
    driver.begin(OnlyEpoch)
    new JdbcWriterFactory(spec, WriteTarget.Staged(tables), committed = None)
  }

  /** Once the rows are committed, the job succeeds even if the cleanup fails: a failed job would be run
    * again.
    */
  override def commit(results: Seq[TaskOutcome]): Unit = {
    driver.commit(OnlyEpoch, results, existing)
    Log.tolerating(
      s"The rows of a batch job are in ${spec.target.table}; its row ${tables.sink} in " +
        s"${tables.epochs.table} and its table ${tables.staging.table} could not be removed: delete them"
    )(Uninterrupted.call(driver.forget()))
  }

  /** No job repeats its commit, so staged rows are useless, unless the rows are already in the target. */
  override def abort(results: Seq[TaskOutcome]): Unit = driver.abandon()
}
