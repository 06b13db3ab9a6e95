// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import org.apache.spark.sql.connector.write._
import org.apache.spark.sql.connector.write.streaming.{StreamingDataWriterFactory, StreamingWrite}

import stoplog.spark.{PlannedBatches, QueryContext}

/** A micro-batch of exactly-once inserts. Spark makes a new one each time; what has to last is in the [[JdbcTable]]. */
private[jdbc] final class TransactionalEpoch(
    table: JdbcTable,
    info: LogicalWriteInfo,
    mode: WriteMode.Transactional,
    existing: Existing
) extends StreamingWrite {
  private val spec              = table.spec
  private val tables            = spec.tables(spec.options.sinkId, mode)
  @volatile private var running = Option.empty[JdbcRun]

  override def createStreamingWriterFactory(physical: PhysicalWriteInfo): StreamingDataWriterFactory = {
    val context = QueryContext.current(info.queryId())
    val run     = table.runOf(context.runId) {
      val owner = SinkOwner(context.runId, Some(info.queryId()))
      new JdbcRun(context.runId, Some(spec.epochDriver(tables, owner, mode)))
    }
    running = Some(run)
    val begun = run.begin(context.batch, PlannedBatches.of(info.queryId(), context.batch, checkpoint = None))
    new RowWriterFactory(spec, Sending.Staged(tables), EpochBegun(context.batch, begun))
  }

  /** Every attempt stages under an id of its own, and the driver takes one result of each task. */
  override def useCommitCoordinator(): Boolean = false

  override def commit(epochId: Long, messages: Array[WriterCommitMessage]): Unit =
    running.foreach(_.commit(epochId, TaskMessage.results(messages), existing))

  /** Deletes nothing (I5): also called when a commit was interrupted, and while tasks still run. */
  override def abort(epochId: Long, messages: Array[WriterCommitMessage]): Unit = ()

  override def toString: String = table.name()
}

/** What the driver knew of an epoch when its tasks were sent out. */
private[jdbc] final case class EpochBegun(batch: Long, state: Begun) extends (Long => Begun) {
  override def apply(epoch: Long): Begun = if (epoch == batch) state else Begun.Open
}

/** A batch job: its rows come by one transaction, which an overwrite begins by deleting those that are there. The job
  * is a sink of its own that has one epoch.
  */
private[jdbc] final class TransactionalJob(
    table: JdbcTable,
    info: LogicalWriteInfo,
    mode: WriteMode.Transactional,
    existing: Existing
) extends BatchWrite {
  private val spec   = table.spec
  private val tables = spec.tables(s"job-${info.queryId()}", mode)
  private val driver = spec.epochDriver(tables, SinkOwner(info.queryId(), query = None), mode)

  override def createBatchWriterFactory(physical: PhysicalWriteInfo): DataWriterFactory = {
    driver.begin(TransactionalJob.OnlyEpoch)
    new RowWriterFactory(spec, Sending.Staged(tables), begun = _ => Begun.Open)
  }

  override def useCommitCoordinator(): Boolean = false

  override def commit(messages: Array[WriterCommitMessage]): Unit = {
    driver.commit(TransactionalJob.OnlyEpoch, TaskMessage.results(messages), existing)
    driver.forget()
  }

  /** Whatever has become of the commit, if there was one: nobody tries it again, and what is staged is of no use. */
  override def abort(messages: Array[WriterCommitMessage]): Unit = driver.forget()

  override def toString: String = table.name()
}

private[jdbc] object TransactionalJob {
  private final val OnlyEpoch = 0L
}
