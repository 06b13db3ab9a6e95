// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.internal.SQLConf.PartitionOverwriteMode
import org.apache.spark.sql.types.StructType

import stoplog.bucket.Bucketing
import stoplog.commit._
import stoplog.engine._
import stoplog.error.{Errors, Log, Redaction}
import stoplog.log.SinkState
import stoplog.options.{SinkOptions, SparkHadoop}
import stoplog.part.RunId
import stoplog.place.SinkStorage
import stoplog.plan.{TaskPlans, TaskResult}
import stoplog.storage.VisibleFiles.Scope

/** The sink of rolling part files, called by an engine's frame. */
private[stoplog] final class FileEngineSink private (
    override val columns: StructType,
    options: SinkOptions,
    storage: SinkStorage,
    order: ColumnOrder,
    asKnown: FileSinkSpec
) extends EngineSink[StructType, InternalRow, TaskResult] {

  override def name: String = Redaction.text(s"stoplog ${storage.path} (${storage.sinkId})")

  override def replacing: Replacing = Replacing.InJobs

  override def taskMetrics: Seq[TaskMetric] = RowWriter.Metrics

  override def noCounts: Seq[(String, Long)] = SinkStats.empty.metrics

  override def plan(request: WriteRequest[StructType]): EngineWrite[InternalRow, TaskResult] = {
    if (request.existing == Existing.Replace) refuseSomePartitions()
    new Planned(request)
  }

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

  /** Spark requests a full overwrite, even if its own formats would keep partitions without new rows. */
  private def refuseSomePartitions(): Unit = options.buckets.bucketing match {
    case _: Bucketing.PartitionColumns
        if SQLConf.get.partitionOverwriteMode == PartitionOverwriteMode.DYNAMIC =>
      throw Errors.invalidOptions(
        Seq(
          "spark.sql.sources.partitionOverwriteMode = 'dynamic' would keep the partitions that get no row, " +
            "and mode overwrite replaces all that is under the path: set it to static; or delete what is " +
            "to be replaced, and append."
        )
      )
    case _ => ()
  }

  private final class Planned(request: WriteRequest[StructType])
      extends EngineWrite[InternalRow, TaskResult] {

    override def distribution: Option[RowDistribution] = WriterDistribution.of(options, request.columns)

    override def start(start: RunStart): EngineRun[InternalRow, TaskResult] = {
      val newest  = storage.log.newest()
      val resumed = RecordedBuckets.resumed(options, newest)
      val before  = order match {
        case ColumnOrder.Recorded  => newest.flatMap(RecordedColumns.of)
        case ColumnOrder.Requested => None
      }
      val sink = FileSinkSpec.of(resumed, request.columns, storage, before)
      RecordedBuckets.changes(options, newest).foreach(change => Log.warn(s"$name: $change"))
      FileRun(start, sink, resumed, LayoutNotice.of(name, sink, resumed.buckets.bucketing))
    }

    override def job(): EngineJob[InternalRow, TaskResult] = new FileJob(name, options, storage, request)
  }
}

/** The order in which a stream's columns are written. */
private[stoplog] sealed trait ColumnOrder

private[stoplog] object ColumnOrder {

  /** The recorded order, with new columns last, so that a reordered query can resume open parts. */
  case object Recorded extends ColumnOrder

  /** The query's order, for tables whose readers find columns by position. */
  case object Requested extends ColumnOrder
}

private[stoplog] object FileEngineSink {

  /** Errors: `STOPLOG_STORE_UNSUPPORTED`, `STOPLOG_PATH_NOT_WRITABLE`. */
  def storageOf(options: SinkOptions): SinkStorage = SinkStorage.of(
    options.output.path,
    options.recovery.sinkId,
    options.parts.layout,
    options.recovery.storage.durability,
    options.recovery.storage.truncation,
    SparkHadoop.configuration
  )

  /** Performs all checks that need no claim, because the start may still fail. */
  def apply(
      columns: StructType,
      options: SinkOptions,
      storage: SinkStorage,
      order: ColumnOrder = ColumnOrder.Recorded
  ): FileEngineSink = {
    val asKnown = FileSinkSpec.of(options, columns, storage, before = None)
    SinkFollowUps.rule(options, columns)
    new FileEngineSink(columns, options, storage, order, asKnown)
  }
}

/** A batch write. One record makes all rows visible, or none.
  *
  * @param requested the options of the write; the log may record another pattern of buckets
  * @param whole     the storage of the sink, below which the job has a separate log
  */
private[filesink] final class FileJob(
    name: String,
    requested: SinkOptions,
    whole: SinkStorage,
    write: WriteRequest[StructType]
) extends EngineJob[InternalRow, TaskResult] {
  private val storage = whole.as(JobCommit.Prefix + write.queryId)

  // Read after the trial of the storage. A batch write uses the directory layout of its sink's stream.
  private lazy val options = RecordedBuckets.resumed(requested, whole.log.newest())
  private lazy val record  = commitOf(storage)
  private lazy val sink    = FileSinkSpec.of(options, write.columns, storage, before = None).forJob
  private lazy val layout  = LayoutNotice.of(name, sink, options.buckets.bucketing)

  override def begin(slots: Int): SinkWriterFactory[InternalRow, TaskResult] = {
    storage.probe()
    if (write.existing == Existing.Replace) {
      storage.listed(Scope.Whole, SparkHadoop.configuration): Unit // fails at the start already
      FileJob.refuseIfPartsLieBetween(storage)
    }
    tidyUpOthers()
    new RowWriterFactory(TaskPlans.of(record.begin(slots)), sink)
  }

  override def commit(results: Seq[TaskResult]): Unit = {
    layout.written(results) // before the record, because later steps must not fail the job
    record.commit(results, replacing)
    if (write.existing == Existing.Replace) tidyUpOthers() // other jobs kept their logs until now
  }

  override def abort(results: Seq[TaskResult]): Unit = record.abort()

  private def tidyUpOthers(): Unit =
    Log.tolerating(s"What other jobs under ${storage.path} left could not be looked for") {
      record.recoverReplacements()
      JobCommit.rollForward(FileJob.others(storage).map(commitOf))
    }

  private def commitOf(storage: SinkStorage): JobCommit = new JobCommit(
    RunId.random(),
    SinkIdentity(storage.path, storage.sinkId, storage.sinkId),
    storage,
    storage.job,
    storage,
    DriverTools.ofThisJvm,
    JobCommit.Rules(SinkFollowUps.of(options, write.columns, storage), options.recovery.onLostPart)
  )

  private def replacing: JobCommit.Replacing = write.existing match {
    case Existing.Keep    => JobCommit.Replacing.Nothing
    case Existing.Replace => JobCommit.Replacing.Everything
  }
}

private[filesink] object FileJob {

  /** Rejects an overwrite if a stream would lose open parts. An overwrite replaces all files in directories
    * visible to readers.
    */
  private def refuseIfPartsLieBetween(storage: SinkStorage): Unit =
    storage.streams.toVector
      .sortBy(_._1)
      .collectFirst { case (sinkId, log) if log.newest().map(_.state).exists(liesBetween) => sinkId }
      .foreach { sinkId =>
        throw Errors.pathNotWritable(
          storage.path,
          s"it is to be overwritten, and sink $sinkId has open parts between the finished ones " +
            "(inProgress=bucket)"
        )
      }

  private def liesBetween(state: SinkState): Boolean =
    state.open.nonEmpty && state.settings.get("inProgress").contains("bucket")

  private def others(sinkStorage: SinkStorage): Seq[SinkStorage] =
    sinkStorage.sinkIds(JobCommit.Prefix).filterNot(_ == sinkStorage.sinkId).map(sinkStorage.as)
}
