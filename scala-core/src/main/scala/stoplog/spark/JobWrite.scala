// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.connector.write._

import stoplog.commit._
import stoplog.error.Errors
import stoplog.log.SinkState
import stoplog.part.RunId
import stoplog.place.SinkStorage

/** A batch write. All of it becomes visible by one record, or none of it. */
private[spark] final class JobWrite(table: SinkTable, info: LogicalWriteInfo, existing: Existing)
    extends BatchWrite {
  private val storage = table.storage.as(JobCommit.Prefix + info.queryId())

  // Looked for in the log once the storage has been tried: what a batch adds lies as its sink's stream lays it.
  private lazy val options = RecordedPattern.resumed(table.options, table.storage.log.newest())
  private lazy val commit  = commitOf(storage)
  private lazy val sink    = SinkSpec.of(options, info.schema(), storage, before = None).forJob
  private lazy val layout  = LayoutNotice.of(table, sink, options.buckets.bucketing)

  override def createBatchWriterFactory(physical: PhysicalWriteInfo): DataWriterFactory = {
    storage.probe()
    if (existing == Existing.Replace) JobWrite.refuseIfPartsLieBetween(storage)
    JobCommit.rollForward(JobWrite.others(storage).map(commitOf))
    new RowWriterFactory(
      TaskPlans.of(commit.begin(physical.numPartitions())),
      sink
    )
  }

  override def useCommitCoordinator(): Boolean = false

  override def commit(messages: Array[WriterCommitMessage]): Unit = {
    val results = TaskMessages.results(messages)
    if (existing == Existing.Replace) DirectoryMerges.overwrite(storage).begin()
    commit.commit(results, replacing)
    layout.written(results)
  }

  override def abort(messages: Array[WriterCommitMessage]): Unit = commit.abort()

  override def toString: String = table.name()

  private def commitOf(storage: SinkStorage): JobCommit = new JobCommit(
    RunId.random(),
    SinkIdentity(storage.path, storage.sinkId, storage.sinkId),
    storage.log,
    storage.parts,
    storage.job,
    RealTools.ofThisJvm,
    SinkFollowUps.of(options, info.schema(), storage)
  )

  private def replacing: JobCommit.Replacing = existing match {
    case Existing.Keep    => JobCommit.Replacing.Nothing
    case Existing.Replace => JobCommit.Replacing.Everything
  }
}

private[spark] object JobWrite {

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
