// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.engine._
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

/** What a run has done: `StreamingQueryProgress.sink.metrics`.
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
  private[jdbc] def writers(spec: SinkSpec) = new JdbcWriterFactory(spec, Sending.ByKey, committed = None)

  /** The reject table has to be there before tasks need it. */
  private[jdbc] def prepare(spec: SinkSpec): Unit = spec.rejectTable.foreach { rejects =>
    val session = spec.session()
    try new OwnTables(session, spec.retries(), spec.target).ensure(rejects.table, rejects.create)
    finally session.close()
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
    val begun = System.nanoTime()
    // An interrupt in the middle of a request makes some drivers close the connection: an outcome unknown for nothing.
    val refused = Uninterrupted.call(driver.commit(batch, results, existing))
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
  private val tables = spec.tables(s"job-$queryId", mode)
  private val driver = spec.epochDriver(tables, SinkOwner(queryId, query = None), mode)

  override def begin(slots: Int): SinkWriterFactory[InternalRow, TaskOutcome] = {
    driver.begin(TransactionalJob.OnlyEpoch)
    new JdbcWriterFactory(spec, Sending.Staged(tables), committed = None)
  }

  override def commit(results: Seq[TaskOutcome]): Unit = {
    driver.commit(TransactionalJob.OnlyEpoch, results, existing)
    driver.forget()
  }

  /** Whatever has become of the commit, if there was one: no job tries it again, and what is staged is of no use. */
  override def abort(results: Seq[TaskOutcome]): Unit = driver.forget()
}

private[jdbc] object TransactionalJob {
  private final val OnlyEpoch = 0L
}
