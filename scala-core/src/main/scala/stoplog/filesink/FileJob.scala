// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.commit._
import stoplog.engine.{EngineJob, Existing, SinkWriterFactory, WriteRequest}
import stoplog.error.Errors
import stoplog.log.SinkState
import stoplog.merge.DirectoryMerges
import stoplog.options.SinkOptions
import stoplog.part.RunId
import stoplog.place.SinkStorage

/** A batch write. All of it becomes visible by one record, or none of it.
  *
  * @param asked options of the write; the log may name another pattern of buckets
  * @param whole the storage of the sink, below which the job has a log of its own
  */
private[filesink] final class FileJob(
    name: String,
    asked: SinkOptions,
    whole: SinkStorage,
    write: WriteRequest[StructType]
) extends EngineJob[InternalRow, TaskResult] {
  private val storage = whole.as(JobCommit.Prefix + write.queryId)

  // Looked for in the log once the storage has been tried: what a batch adds lies as its sink's stream lays it.
  private lazy val options = RecordedPattern.resumed(asked, whole.log.newest())
  private lazy val record  = commitOf(storage)
  private lazy val sink    = FileSinkSpec.of(options, write.columns, storage, before = None).forJob
  private lazy val layout  = LayoutNotice.of(name, sink, options.buckets.bucketing)

  override def begin(slots: Int): SinkWriterFactory[InternalRow, TaskResult] = {
    storage.probe()
    if (write.existing == Existing.Replace) FileJob.refuseIfPartsLieBetween(storage)
    JobCommit.rollForward(FileJob.others(storage).map(commitOf))
    new RowWriterFactory(TaskPlans.of(record.begin(slots)), sink)
  }

  override def commit(results: Seq[TaskResult]): Unit = {
    if (write.existing == Existing.Replace) DirectoryMerges.overwrite(storage).begin()
    record.commit(results, replacing)
    layout.written(results)
  }

  override def abort(results: Seq[TaskResult]): Unit = record.abort()

  private def commitOf(storage: SinkStorage): JobCommit = new JobCommit(
    RunId.random(),
    SinkIdentity(storage.path, storage.sinkId, storage.sinkId),
    storage.log,
    storage.parts,
    storage.job,
    RealTools.ofThisJvm,
    SinkFollowUps.of(options, write.columns, storage)
  )

  private def replacing: JobCommit.Replacing = write.existing match {
    case Existing.Keep    => JobCommit.Replacing.Nothing
    case Existing.Replace => JobCommit.Replacing.Everything
  }
}

private[filesink] object FileJob {

  /** An overwrite takes all files in directories that readers see, and must not take along what a stream is about to go on
    * with.
    */
  private def refuseIfPartsLieBetween(storage: SinkStorage): Unit =
    storage
      .sinkIds(prefix = "")
      .filterNot(_.startsWith(JobCommit.Prefix))
      .find(sinkId => storage.as(sinkId).log.newest().map(_.state).exists(liesBetween))
      .foreach { sinkId =>
        throw Errors.pathNotWritable(
          storage.path,
          s"it is to be overwritten, and sink $sinkId has open parts between the finished ones (inProgress=bucket)"
        )
      }

  private def liesBetween(state: SinkState): Boolean =
    state.open.nonEmpty && state.settings.get("inProgress").contains("bucket")

  private def others(mine: SinkStorage): Seq[SinkStorage] =
    mine.sinkIds(JobCommit.Prefix).filterNot(_ == mine.sinkId).map(mine.as)
}
