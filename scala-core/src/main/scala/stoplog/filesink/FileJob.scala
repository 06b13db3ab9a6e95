// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.bucket.Bucketing
import stoplog.commit.JobCommit.Nested
import stoplog.commit._
import stoplog.engine._
import stoplog.error.{Errors, Log}
import stoplog.log.SinkState
import stoplog.options.{SinkOptions, SparkHadoop}
import stoplog.part.RunId
import stoplog.plan.{TaskPlans, TaskResult}
import stoplog.storage.VisibleFiles
import stoplog.stores.SinkStorage

/** A batch write. One record makes all rows visible, or none.
  *
  * @param requested the options of the write; the log may record another pattern of buckets
  * @param whole the storage of the sink, below which the job has a separate log
  * @param order the order of columns in formats with columns by position
  */
private[filesink] final class FileJob(
    name: String,
    requested: SinkOptions,
    whole: SinkStorage,
    write: WriteRequest[StructType],
    order: ColumnOrder
) extends EngineJob[InternalRow, TaskResult] {
  private val storage = whole.as(JobCommit.Prefix + write.queryId)

  // Read after the trial of the storage. A batch write uses the directory layout of its sink's stream.
  private lazy val newest    = whole.log.newest()
  private lazy val options   = RecordedBuckets.resumed(requested, newest)
  private lazy val announced = SinkAnnouncements.ofJob(options, storage, write.existing)
  private lazy val record    = commitOf(storage, announced)
  private lazy val partition = selected

  private lazy val timeForOthers =
    new SinkAnnouncements.SharedTime(options.buckets.completeness.announce.limits.endMillis)

  private lazy val sink =
    FileSinkSpec.of(options, write.columns, storage, before).forJob(write.existing, partition)
  private lazy val layout = LayoutNotice.of(name, sink, options.buckets.bucketing)

  private var outcome = JobOutcome.nothing

  override def begin(slots: Int): SinkWriterFactory[InternalRow, TaskResult] = {
    storage.probe()
    RecordedBuckets.refuseOtherZone(sink.settings, newest, storage.path)
    fixedScope match {
      case Some(scope @ VisibleFiles.Scope.Whole) =>
        storage.listed(scope, SparkHadoop.configuration): Unit // fails early if files cannot be replaced
        FileJob.refuseIfPartsLieBetween(storage)
      case partitions =>
        // The commit lists the directories and checks them. Two listings would double the cost of many.
        if (write.existing != Existing.Keep) storage.refuseAbove(SparkHadoop.configuration)
        partitions.foreach(scope => orEnding(record.refuseOpenParts(scope)))
    }
    orEnding {
      tidyUpOthers()
      new RowWriterFactory(TaskPlans.of(record.begin(slots)), sink)
    }
  }

  /** Spark does not abort a job that fails before its tasks. */
  private def orEnding[A](action: => A): A =
    try action
    catch {
      case NonFatal(e) =>
        announced.end(): Unit
        throw e
    }

  override def commit(results: Seq[TaskResult]): Unit = try committed(results)
  finally announced.end(): Unit

  override def abort(results: Seq[TaskResult]): Unit =
    try record.abort()
    finally announced.end(): Unit

  override def counts: Seq[(TaskMetric, Long)] = FileJob.Metrics.zip(
    Seq(outcome.replacedFiles, outcome.replacedBytes, outcome.replacedPartitions)
  )

  private def committed(results: Seq[TaskResult]): Unit = {
    layout.written(results) // before the record, because later steps must not fail the job
    outcome = record.commit(results, replacing)
    if (write.existing != Existing.Keep) {
      Log.info(FileJob.said(name, outcome))
      tidyUpOthers() // other jobs kept their logs until now
    }
  }

  private def tidyUpOthers(): Unit =
    Log.tolerating(s"Unfinished work of other jobs under ${storage.path} could not be listed") {
      record.recoverReplacements()
      JobCommit.rollForward(
        FileJob.others(storage).map { other =>
          commitOf(other, SinkAnnouncements.ofDeadJob(options, other, timeForOthers))
        }
      )
    }

  private def commitOf(storage: SinkStorage, announcements: JobAnnouncements): JobCommit = new JobCommit(
    RunId.random(),
    SinkIdentity(storage.path, storage.sinkId, storage.sinkId),
    storage,
    storage.job,
    storage,
    DriverTools.ofThisJvm,
    JobCommit.Rules(
      SinkFollowUps.of(options, write.columns, storage),
      options.recovery.onLostPart,
      announcements
    )
  )

  /** Returns the columns of the stream whose files remain. */
  private def before: Option[StructType] =
    if (
      order == ColumnOrder.Requested || write.existing == Existing.Replace(Scope.Whole) ||
      !RecordedSettings.areColumnsByPosition(options.output.format)
    ) None
    else newest.flatMap(RecordedColumns.of)

  private def selected: Option[PartitionFilter] = write.existing match {
    case Existing.Replace(Scope.Where(condition)) =>
      Some(PartitionFilter.of(condition, options.buckets.bucketing, write.columns, storage.path))
    case _ => None
  }

  private def replacing: JobCommit.Replacing = write.existing match {
    case Existing.Keep                   => JobCommit.Replacing.Nothing
    case Existing.Replace(Scope.Whole)   => JobCommit.Replacing.Everything
    case Existing.Replace(Scope.Dynamic) =>
      JobCommit.Replacing.Written(FileJob.nested(options.buckets.bucketing))
    case Existing.Replace(_: Scope.Where) =>
      JobCommit.Replacing.Within(VisibleFiles.Scope.Selected(partition.get))
  }

  /** The scope, unless it depends on the rows. */
  private def fixedScope: Option[VisibleFiles.Scope] = replacing match {
    case JobCommit.Replacing.Everything    => Some(VisibleFiles.Scope.Whole)
    case JobCommit.Replacing.Within(scope) => Some(scope)
    case _                                 => None
  }
}

private[filesink] object FileJob {

  val Metrics: Seq[TaskMetric] = Seq(
    TaskMetric("stoplogReplacedFiles", "replaced files"),
    TaskMetric("stoplogReplacedBytes", "bytes of replaced files"),
    TaskMetric("stoplogReplacedPartitions", "replaced partitions")
  )

  private def said(name: String, outcome: JobOutcome): String =
    s"$name: ${outcome.replacedFiles} files (${outcome.replacedBytes} bytes) in " +
      s"${outcome.replacedPartitions} directories were replaced by ${outcome.files} files with " +
      s"${outcome.rows} rows"

  /** The directories of `partitionBy` determine the values of all files below. */
  private def nested(bucketing: Bucketing): Nested = bucketing match {
    case _: Bucketing.PartitionColumns => Nested.Included
    case _                             => Nested.Excluded
  }

  /** Rejects an overwrite of the whole path if a stream would lose open parts: the overwrite replaces all
    * files in directories visible to readers. Other parts of a stream stay, and appear later.
    */
  private def refuseIfPartsLieBetween(storage: SinkStorage): Unit =
    storage.streams.toVector
      .sortBy(_._1)
      .collectFirst {
        case (sinkId, log) if log.newest().map(_.state).exists(liesBetween) => sinkId
      }
      .foreach { sinkId =>
        throw Errors.pathNotWritable(
          storage.path,
          s"it is to be overwritten, and sink $sinkId has open parts next to finished parts " +
            "(inProgress=bucket)"
        )
      }

  private def liesBetween(state: SinkState): Boolean =
    state.open.nonEmpty && state.settings.get("inProgress").contains("bucket")

  private def others(own: SinkStorage): Seq[SinkStorage] =
    own.sinkIds(JobCommit.Prefix).filterNot(_ == own.sinkId).map(own.as)
}
