// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.distributions.{Distribution, Distributions}
import org.apache.spark.sql.connector.expressions.{Expression, Expressions, SortDirection, SortOrder}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.write._
import org.apache.spark.sql.connector.write.streaming.{StreamingDataWriterFactory, StreamingWrite}
import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend

import stoplog.checkpoint.PlannedBatches
import stoplog.engine._
import stoplog.error.Errors
import stoplog.filesink.PartitionConditions
import stoplog.options.SparkHadoop

/** The epochs of a query, or a batch job, as planned by Spark. */
private[spark] class SinkWrite[M](
    table: SinkTable[M],
    info: LogicalWriteInfo,
    existing: Existing,
    planned: EngineWrite[InternalRow, M]
) extends Write {
  import SinkWrite.{EpochWrite, JobWrite}

  private var begun = Option.empty[EngineJob[InternalRow, M]]

  override def description(): String = table.name()

  override def toStreaming(): StreamingWrite =
    if (existing != Existing.Keep && table.sink.replacing != Replacing.Always)
      throw Errors.unsupportedOutputMode("complete")
    else {
      val columns = table.lasting(info.schema())
      val lasting =
        if (columns == info.schema()) planned // for most micro-batches, and a plan may ask the target
        else table.sink.plan(WriteRequest(columns, info.queryId(), existing))
      new EpochWrite(table, info, lasting)
    }

  override def toBatch(): BatchWrite = {
    val job = planned.job()
    begun = Some(job)
    new JobWrite(table.name(), job, table.required(info.schema()))
  }

  override def supportedCustomMetrics(): Array[CustomMetric] =
    (table.sink.taskMetrics ++ ofReplacing(planned.jobMetrics)).map(new TaskSum(_)).toArray

  override def reportDriverMetrics(): Array[CustomTaskMetric] =
    ofReplacing(begun.toSeq.flatMap(_.counts)).map { case (metric, count) =>
      new SinkWrite.Counted(metric, count)
    }.toArray

  private def ofReplacing[A](metrics: => Seq[A]): Seq[A] = if (existing == Existing.Keep) Nil else metrics
}

private[spark] object SinkWrite {

  /** Without a distribution, a plain write: requesting "unspecified" prevents some of Spark's plans. */
  def apply[M](table: SinkTable[M], info: LogicalWriteInfo, existing: Existing): Write = {
    val planned = table.sink.plan(WriteRequest(info.schema(), info.queryId(), existing))
    planned.distribution match {
      case None               => new SinkWrite(table, info, existing, planned)
      case Some(distribution) => new DistributedSinkWrite(table, info, existing, planned, distribution)
    }
  }

  /** A write clustered by columns. Path-based tables support only plain columns. */
  final class DistributedSinkWrite[M](
      table: SinkTable[M],
      info: LogicalWriteInfo,
      existing: Existing,
      planned: EngineWrite[InternalRow, M],
      distribution: RowDistribution
  ) extends SinkWrite(table, info, existing, planned)
      with RequiresDistributionAndOrdering {

    override def requiredDistribution(): Distribution =
      Distributions.clustered(distribution.clustering.map(column).toArray)

    override def requiredNumPartitions(): Int = distribution.tasks.getOrElse(0)

    override def requiredOrdering(): Array[SortOrder] =
      distribution.ordering.map(name => Expressions.sort(column(name), SortDirection.ASCENDING)).toArray

    private def column(name: String): Expression = Expressions.column(s"`${name.replace("`", "``")}`")
  }

  /** One micro-batch. Spark creates one object for each; [[SinkTable]] holds state across micro-batches. */
  final class EpochWrite[M](
      table: SinkTable[M],
      info: LogicalWriteInfo,
      planned: EngineWrite[InternalRow, M]
  ) extends StreamingWrite {
    @volatile private var begun = Option.empty[EngineRun[InternalRow, M]]

    override def createStreamingWriterFactory(physical: PhysicalWriteInfo): StreamingDataWriterFactory =
      OnQueryThread {
        val context = QueryContext.current(info.queryId())
        // First the location of the running query, which the session's settings may define.
        val location = QueryContext.checkpoint(info.queryId()).orElse(table.checkpoint)
        val run     = table.runOf(planned, RunStart(info.queryId(), context.runId, context.trigger), location)
        val batches = new PlannedBatches(context.batch, location, SparkHadoop.configuration)
        val carrier = new BroadcastCarrier(SparkSession.active.sparkContext)
        val epoch   = EpochStart(context.batch, physical.numPartitions(), batches, batches.times, carrier)
        val writers = run.begin(epoch)
        begun = Some(run)
        QueryContext.passToTasks(Some(context.batch -> writers.isCommitted(context.batch)))
        val rows = info match {
          case of: SessionTable.OfColumns => table.ofStream(of.ofQuery)
          case _                          => TableRows.Unchanged
        }
        new TaskWriterFactory(writers, table.required(info.schema()), rows)
      }

    /** Returns `false`: attempts write to separate files, and the driver uses one result of each task. */
    override def useCommitCoordinator(): Boolean = false

    override def commit(epochId: Long, messages: Array[WriterCommitMessage]): Unit =
      OnQueryThread(begun.foreach(_.commit(epochId, TaskWriterFactory.TaskMessage.results(messages))))

    override def abort(epochId: Long, messages: Array[WriterCommitMessage]): Unit =
      OnQueryThread(begun.foreach(_.abort()))

    override def toString: String = table.name()
  }

  /** A batch job. */
  final class JobWrite[M](name: String, job: EngineJob[InternalRow, M], required: RequiredValues)
      extends BatchWrite {

    override def createBatchWriterFactory(physical: PhysicalWriteInfo): DataWriterFactory = {
      QueryContext.passToTasks(epoch = None)
      new TaskWriterFactory(job.begin(physical.numPartitions()), required)
    }

    override def useCommitCoordinator(): Boolean = false

    override def commit(messages: Array[WriterCommitMessage]): Unit =
      job.commit(TaskWriterFactory.TaskMessage.results(messages))

    override def abort(messages: Array[WriterCommitMessage]): Unit =
      job.abort(TaskWriterFactory.TaskMessage.results(messages))

    override def toString: String = name
  }

  /** Only plans: Spark may build a write without executing the write. */
  object SinkWriteBuilder {
    def apply[M](table: SinkTable[M], info: LogicalWriteInfo): WriteBuilder = table.sink.replacing match {
      case Replacing.Never      => new Appending(table, info)
      case Replacing.Always     => new Replaceable(table, info)
      case Replacing.Partitions => new Partitioned(table, info)
    }

    private class Appending[M](table: SinkTable[M], info: LogicalWriteInfo)
        extends SupportsStreamingUpdateAsAppend {
      override def build(): Write = SinkWrite(table, info, Existing.Keep)
    }

    private class Replaceable[M](table: SinkTable[M], info: LogicalWriteInfo)
        extends Appending(table, info)
        with SupportsTruncate {
      override def truncate(): WriteBuilder = replacing(Scope.Whole)

      protected final def replacing(requested: Scope): WriteBuilder = {
        val planned = SinkWrite(table, info, Existing.Replace(table.sink.scope(requested)))
        new WriteBuilder {
          override def build(): Write = planned
        }
      }
    }

    private final class Partitioned[M](table: SinkTable[M], info: LogicalWriteInfo)
        extends Replaceable(table, info)
        with SupportsOverwriteV2
        with SupportsDynamicOverwrite {
      override def truncate(): WriteBuilder = replacing(Scope.Whole)

      /** Returns `true`: an error of [[overwrite]] names the part of the condition that is not evaluated. */
      override def canOverwrite(predicates: Array[Predicate]): Boolean = true

      override def overwrite(predicates: Array[Predicate]): WriteBuilder =
        replacing(Scope.Where(PartitionConditions.of(table.name(), predicates.toSeq)))

      override def overwriteDynamicPartitions(): WriteBuilder = replacing(Scope.Dynamic)
    }
  }

  /** A counter of the driver. */
  private final class Counted(metric: TaskMetric, count: Long) extends CustomTaskMetric {
    override def name(): String = metric.name
    override def value(): Long  = count
  }
}
