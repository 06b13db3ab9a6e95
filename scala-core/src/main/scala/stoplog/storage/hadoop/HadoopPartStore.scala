// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import java.io.FileNotFoundException

import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.part.{Closed, Publish, Resume, RunId}
import stoplog.sink.{CommitOutcome, Staged}
import stoplog.storage._

/** Parts as files of any Hadoop file system, by what it can do.
  *
  * Nothing here keeps a writer off that lives on after its end was decided. So a part is gone on with in place only by
  * the run that began it, whose attempts all have ended well (I1); to everybody else the committed bytes come as a
  * copy under a new name. Empty staging directories stay: not every file system can remove one only if it is empty.
  *
  * @param trimming what becomes of bytes behind the recorded length when a part is published
  */
final class HadoopPartStore(
    files: HadoopFiles,
    sinkId: String,
    layout: PartLayout,
    growth: Growth,
    trimming: Trimming,
    lengths: ValidLengths,
    faults: Faults
) extends PartStore
    with Serializable {
  @transient private lazy val publishing = new HadoopPublishing(files, trimming, lengths, faults)

  override def create(part: NewPart): PartOutput = output(layout.inProgress(part, PartLayout.unique()))

  /** A longer file holds what a failed attempt of this run wrote, which may not have ended: it is left alone. */
  override def resume(open: Resume, validBytes: Long): PartOutput = {
    val path = files.at(open.token)
    orShort(open, validBytes) {
      if (growth != Growth.CreateOnly && files.status(path).exists(_.getLen == validBytes))
        new HadoopOutput(files, path, open.token, files.fileSystem.append(path), validBytes)
      else copied(open, validBytes, layout.another(open.token, PartLayout.unique()))
    }
  }

  override def takeOver(open: Resume, validBytes: Long, part: NewPart): PartOutput =
    orShort(open, validBytes)(copied(open, validBytes, layout.inProgress(part, PartLayout.unique())))

  override def isolate(open: Resume, validBytes: Long, part: NewPart): Closed =
    takeOver(open, validBytes, part).finish()

  override def publish(part: Publish, sizeBytes: Long, finishedPath: String): CommitOutcome = {
    val target = files.at(finishedPath)
    val copy   = layout.another(part.token, PartLayout.unique())
    files.writing(target) {
      publishing.publish(files.at(part.token), sizeBytes, target, files.at(copy)) {
        copied(part, sizeBytes, copy).finish()
        ()
      }
    }
  }

  override def staged(): Vector[Staged] = HadoopStaged.list(files, sinkId, layout)(identity)

  override def isStaged(token: String): Boolean =
    files.writing(files.at(token))(files.status(files.at(token)).isDefined)

  override def discard(token: String): Unit = files.writing(files.at(token))(files.delete(files.at(token)))

  /** A lease that announces nothing: the file system has no locks that another process could ask for. */
  override def enter(run: RunId): WriterLease = () => ()

  override def othersGone(run: RunId): Boolean = false

  private def output(token: String): HadoopOutput = {
    val path = files.at(token)
    val out  = files.writing(path)(files.fileSystem.create(path, false))
    new HadoopOutput(files, path, token, out, startBytes = 0)
  }

  private def copied(open: Publish, validBytes: Long, token: String): HadoopOutput = {
    val copy = output(token)
    try HadoopPrefix.copy(files, files.at(open.token), validBytes, copy)
    catch { case e: Throwable => copy.close(); throw e }
    copy
  }

  private def orShort[A](open: Publish, validBytes: Long)(action: => A): A =
    files.writing(files.at(open.token)) {
      try action
      catch { case _: FileNotFoundException => throw Errors.partShort(open.token, 0, validBytes) }
    }
}
