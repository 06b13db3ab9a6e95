// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.internal.SQLConf.PartitionOverwriteMode
import org.apache.spark.sql.types.StructType

import stoplog.options.SparkHadoop
import stoplog.bucket.Bucketing
import stoplog.commit._
import stoplog.engine._
import stoplog.error.{Errors, Log, Redaction}
import stoplog.options.SinkOptions
import stoplog.part.RunId
import stoplog.place.SinkStorage

/** The sink of rolling part files, as an engine's frame drives it. */
private[stoplog] final class FileEngineSink private (
    override val columns: StructType,
    options: SinkOptions,
    storage: SinkStorage,
    asKnown: FileSinkSpec
) extends EngineSink[StructType, InternalRow, TaskResult] {

  override def name: String = Redaction.text(s"stoplog ${storage.path} (${storage.sinkId})")

  override def replacing: Replacing = Replacing.InJobs

  override def taskMetrics: Seq[TaskMetric] = RowWriter.Metrics

  override def noCounts: Seq[(String, Long)] = SinkMetrics.empty

  override def plan(asked: WriteRequest[StructType]): EngineWrite[InternalRow, TaskResult] = {
    if (asked.existing == Existing.Replace) refuseSomePartitions()
    new Planned(asked)
  }

  override def resume(queryId: String): Option[EarlierDecision] =
    storage.log.newest().filter(_.state.queryId == queryId).map { newest =>
      newest.state.schema.foreach(asKnown.settings.schema.mayFollow)
      new Ledger(
        RunId.random(), // which claims nothing
        SinkIdentity(storage.path, storage.sinkId, queryId),
        storage.log,
        Ledger.Stores(storage.parts, storage.sides, storage.finished),
        options.recovery.onLostPart,
        SinkFollowUps.of(RecordedPattern.resumed(options, Some(newest)), columns, storage),
        RealTools.ofThisJvm
      ).recover(newest)
      EarlierDecision(newest.seq, QueryTrigger.noted(newest.state.settings))
    }

  /** Spark asks for an overwrite of everything, also where its own formats would keep the partitions without new rows. */
  private def refuseSomePartitions(): Unit = options.buckets.bucketing match {
    case _: Bucketing.PartitionColumns
        if SQLConf.get.partitionOverwriteMode == PartitionOverwriteMode.DYNAMIC =>
      throw Errors.invalidOptions(
        Seq(
          "spark.sql.sources.partitionOverwriteMode = 'dynamic' would keep the partitions that get no row, and mode " +
            "overwrite replaces all that is under the path: set it to static; or delete what is to be replaced, and append."
        )
      )
    case _ => ()
  }

  private final class Planned(asked: WriteRequest[StructType]) extends EngineWrite[InternalRow, TaskResult] {

    override def distribution: Option[RowDistribution] = WriterDistribution.of(options, asked.columns)

    override def start(start: RunStart): EngineRun[InternalRow, TaskResult] = {
      val newest  = storage.log.newest()
      val resumed = RecordedPattern.resumed(options, newest)
      val sink    = FileSinkSpec.of(resumed, asked.columns, storage, newest.flatMap(RecordedColumns.of))
      (RecordedPattern.change(options, newest) ++ RecordedBuckets.change(options.buckets.bucketing, newest))
        .foreach(said => Log.warn(s"$name: $said"))
      FileRun(start, sink, resumed, LayoutNotice.of(name, sink, resumed.buckets.bucketing))
    }

    override def job(): EngineJob[InternalRow, TaskResult] = new FileJob(name, options, storage, asked)
  }
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

  /** Checks all that can be checked now, and claims nothing: the start may still be refused. */
  def apply(columns: StructType, options: SinkOptions, storage: SinkStorage): FileEngineSink = {
    val asKnown = FileSinkSpec.of(options, columns, storage, before = None)
    SinkFollowUps.rule(options, columns)
    new FileEngineSink(columns, options, storage, asKnown)
  }
}
