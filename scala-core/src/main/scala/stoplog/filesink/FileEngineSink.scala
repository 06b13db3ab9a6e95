// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.bucket.Bucketing
import stoplog.checkpoint.CheckpointPlace
import stoplog.commit._
import stoplog.engine._
import stoplog.error.{Log, Redaction}
import stoplog.options.{OutputOptions, SinkOptions, SparkHadoop}
import stoplog.part.RunId
import stoplog.plan.TaskResult
import stoplog.storage.FileStore
import stoplog.stores.SinkStorage

/** The sink of rolling part files, called by an engine's frame. */
private[stoplog] final class FileEngineSink private (
    override val columns: StructType,
    options: SinkOptions,
    storage: SinkStorage,
    target: WriteTarget,
    asKnown: FileSinkSpec
) extends EngineSink[StructType, InternalRow, TaskResult] {

  override def name: String = Redaction.text(EngineSink.nameOf(storage.path, storage.sinkId))

  override def dataset: Option[Dataset] = Some(
    Dataset.at(
      storage.pathOf("").toUri,
      options.output.format.toMap.getOrElse(OutputOptions.FormatName.key, Dataset.OwnFormat)
    )
  )

  override def output: Option[OutputFiles] = {
    val name   = asKnown.parts.naming.name(RunId.random(), 0)
    val bucket = if (options.buckets.bucketing == Bucketing.BasePath) "" else "bucket=1"
    Some(OutputFiles(storage.path, FileStore.path(bucket, name)))
  }

  override def replacing: Replacing = Replacing.Partitions

  override def scope(requested: Scope): Scope = OverwriteScope.of(requested, options, columns, target)

  override def taskMetrics: Seq[TaskMetric] = RowWriter.Metrics

  override def noCounts: Seq[(String, Long)] = SinkStats.empty.metrics

  override def plan(request: WriteRequest[StructType]): EngineWrite[InternalRow, TaskResult] = {
    if (request.existing == Existing.Keep) OverwriteScope.refuseCondition(options)
    new Planned(request)
  }

  override def unseen: Unseen = StateView.unseen(storage.log)

  override def checkpointedAt(location: String): Unit =
    CheckpointPlace.refuse(storage.path, location, SparkHadoop.configuration)

  override def resume(queryId: String): Option[Long] = {
    val log = storage.log
    log.newest().filter(_.state.queryId == queryId).map { newest =>
      log.refuseGap(storage.path, storage.sinkId)
      newest.state.schema.foreach(asKnown.settings.schema.mayFollow)
      new Ledger(
        RunId.random(), // this run claims nothing
        SinkIdentity(storage.path, storage.sinkId, queryId),
        storage,
        options.recovery.onLostPart,
        SinkFollowUps.of(RecordedBuckets.resumed(options, Some(newest)), columns, storage),
        DriverTools.ofThisJvm
      ).recover(newest)
      newest.seq
    }
  }

  private final class Planned(request: WriteRequest[StructType])
      extends EngineWrite[InternalRow, TaskResult] {

    override def distribution: Option[RowDistribution] = WriterDistribution.of(options, request.columns)

    override def start(start: RunStart): EngineRun[InternalRow, TaskResult] = {
      val newest  = storage.log.newest()
      val resumed = RecordedBuckets.resumed(options, newest)
      val known   = newest.flatMap(RecordedColumns.of)
      val columns = request.columns
      val before  = target.order match {
        case ColumnOrder.Recorded  => known
        case ColumnOrder.Requested => None
      }
      val sink    = FileSinkSpec.of(resumed, columns, storage, before)
      val written = FileSinkSpec.dataColumns(resumed.buckets.bucketing, columns).schema
      (RecordedBuckets.changes(options, newest) ++ RecordedColumns.warning(resumed, known, written))
        .foreach(change => Log.warn(s"$name: $change"))
      val layout = LayoutNotice.of(name, sink, resumed.buckets.bucketing)
      FileRun(start, sink, resumed, layout, newest.toVector.flatMap(_.state.open))
    }

    override def job(): EngineJob[InternalRow, TaskResult] =
      new FileJob(name, options, storage, request, target.order)

    override def jobMetrics: Seq[TaskMetric] = FileJob.Metrics
  }
}

/** The place that a write names in Spark. */
private[stoplog] sealed trait WriteTarget {
  def order: ColumnOrder
}

private[stoplog] object WriteTarget {

  case object Path extends WriteTarget {
    override def order: ColumnOrder = ColumnOrder.Recorded
  }

  /** A catalog table.
    *
    * @param partitions the partition columns known to Spark, which then decides the scope of an overwrite
    */
  final case class Table(order: ColumnOrder, partitions: Seq[String]) extends WriteTarget
}

/** The order in which columns are written. */
private[stoplog] sealed trait ColumnOrder

private[stoplog] object ColumnOrder {

  /** The recorded order, with new columns last, so that a reordered query can resume open parts. */
  case object Recorded extends ColumnOrder

  /** The query's order, for tables whose readers find columns by position. */
  case object Requested extends ColumnOrder
}

private[stoplog] object FileEngineSink {

  /** Errors: `STOPLOG_JAR_MISSING`, `STOPLOG_PATH_NOT_WRITABLE`. */
  def storageOf(options: SinkOptions): SinkStorage = SinkStorage
    .of(
      options.output.path,
      options.recovery.sinkId,
      options.parts.layout,
      options.recovery.storage.durability,
      options.recovery.storage.truncation,
      SparkHadoop.configuration
    )
    .owning(options.buckets.completeness.announce.tableEntries)

  /** Performs all checks that need no claim, because the start may still fail. */
  def apply(
      columns: StructType,
      options: SinkOptions,
      storage: SinkStorage,
      target: WriteTarget = WriteTarget.Path
  ): FileEngineSink = {
    val asKnown = FileSinkSpec.of(options, columns, storage, before = None)
    SinkFollowUps.rule(options, columns)
    new FileEngineSink(columns, options, storage, target, asKnown)
  }
}
