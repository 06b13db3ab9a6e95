// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.write._
import org.apache.spark.sql.connector.write.streaming.{StreamingDataWriterFactory, StreamingWrite}

import stoplog.commit.{EpochPlan, RealTools, TaskPlans}
import stoplog.error.Errors
import stoplog.part.RunId
import stoplog.sink.{CommitOutcome, Prepared}

/** One epoch, or one batch job, of a sink that commits in two phases. */
private[spark] final class TwoPhaseWrite(table: TwoPhaseTable, info: LogicalWriteInfo) extends Write {
  override def description(): String = table.name()

  override def toStreaming(): StreamingWrite = new TwoPhaseEpoch(table, info)

  override def toBatch(): BatchWrite = new TwoPhaseJob(table, info)

  override def supportedCustomMetrics(): Array[CustomMetric] = PreparedRowsMetric.all
}

/** One micro-batch. Spark makes a new one each time; what has to last is in the [[TwoPhaseTable]]. */
private[spark] final class TwoPhaseEpoch(table: TwoPhaseTable, info: LogicalWriteInfo)
    extends StreamingWrite {
  @volatile private var run = Option.empty[SinkRun]

  override def createStreamingWriterFactory(physical: PhysicalWriteInfo): StreamingDataWriterFactory = {
    val context = QueryContext.current(info.queryId())
    val current = table.runOf(info.queryId(), context, info.schema())
    val planned = PlannedBatches.of(info.queryId(), context.batch, checkpoint = None)
    val plan    = current.sinkRun.begin(context.batch, physical.numPartitions(), planned)
    run = Some(current.sinkRun)
    new PreparingFactory(
      TaskPlans.of(plan),
      current.run,
      current.sink,
      table.settings.sinkId,
      Some(table.settings.storage),
      planned.times
    )
  }

  override def useCommitCoordinator(): Boolean = false

  override def commit(epochId: Long, messages: Array[WriterCommitMessage]): Unit =
    run.foreach(_.driver.commit(epochId, TaskMessages.results(messages)))

  /** Undoes nothing (I5): also called when a commit was interrupted, and while tasks still run. */
  override def abort(epochId: Long, messages: Array[WriterCommitMessage]): Unit =
    run.foreach(_.driver.abort())

  override def toString: String = table.name()
}

/** A batch query. Nobody ever repeats it, so nothing of it is kept in a log: what all its tasks have prepared is
  * committed when all of them are done. If the driver dies in the middle of that, some of it stays committed.
  */
private[spark] final class TwoPhaseJob(table: TwoPhaseTable, info: LogicalWriteInfo) extends BatchWrite {
  private val run             = RunId.random()
  private val tools           = RealTools.ofThisJvm
  private val sink            = table.sink(info.schema())
  private lazy val committer  = sink.committer()
  @volatile private var begun = false

  override def createBatchWriterFactory(physical: PhysicalWriteInfo): DataWriterFactory = {
    val plan = EpochPlan.ofJob(run, physical.numPartitions())
    new PreparingFactory(TaskPlans.of(plan), run, sink, table.settings.sinkId, storage = None)
  }

  override def useCommitCoordinator(): Boolean = false

  override def commit(messages: Array[WriterCommitMessage]): Unit = {
    begun = true
    tools.parallel.uninterrupted {
      tools.parallel.map(prepared(messages)) { part =>
        if (tools.retry(() => committer.commit(part)) == CommitOutcome.Lost)
          throw Errors.partLost(sink.target, part.token, "", -1L)
      }
    }
    committer.close()
  }

  /** The tasks that failed have undone what was theirs. Once committing has begun, its outcome is not known (I5). */
  override def abort(messages: Array[WriterCommitMessage]): Unit = {
    if (!begun) prepared(messages).foreach(part => committer.abort(part.token))
    committer.close()
  }

  override def toString: String = table.name()

  private def prepared(messages: Array[WriterCommitMessage]): Seq[Prepared] =
    TaskMessages
      .results(messages)
      .flatMap(_.closed)
      .map(part => Prepared(part.name, part.handle.token, part.records, part.sizeBytes))
}
