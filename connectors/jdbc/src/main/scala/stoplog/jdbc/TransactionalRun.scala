// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.engine._
import stoplog.thread.Uninterrupted

/** One start of a query of exactly-once inserts. */
private[jdbc] final class TransactionalRun(
    spec: SinkSpec,
    mode: WriteMode.Transactional,
    owner: SinkOwner,
    existing: Existing
) extends JdbcRun {
  private val tables = spec.tables(spec.options.sinkId, mode)
  private val driver = spec.epochDriver(tables, owner, mode)

  override def begin(epoch: EpochStart): SinkWriterFactory[InternalRow, TaskResult] = {
    val committed = driver.begin(epoch.batch, epoch.digests) match {
      case Begun.Committed => Some(epoch.batch)
      case Begun.Open      => None
    }
    new JdbcWriterFactory(spec, Sending.Staged(tables), committed)
  }

  override def commit(batch: Long, results: Seq[TaskResult]): Unit = {
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
) extends EngineJob[InternalRow, TaskResult] {
  private val tables = spec.tables(s"job-$queryId", mode)
  private val driver = spec.epochDriver(tables, SinkOwner(queryId, query = None), mode)

  override def begin(slots: Int): SinkWriterFactory[InternalRow, TaskResult] = {
    driver.begin(TransactionalJob.OnlyEpoch)
    new JdbcWriterFactory(spec, Sending.Staged(tables), committed = None)
  }

  override def commit(results: Seq[TaskResult]): Unit = {
    driver.commit(TransactionalJob.OnlyEpoch, results, existing)
    driver.forget()
  }

  /** Whatever has become of the commit, if there was one: no job tries it again, and what is staged is of no use. */
  override def abort(results: Seq[TaskResult]): Unit = driver.forget()
}

private[jdbc] object TransactionalJob {
  private final val OnlyEpoch = 0L
}
