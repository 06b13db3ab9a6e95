// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import java.io.{FileNotFoundException, IOException}

import org.apache.hadoop.fs.Path

import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.part.{Closed, Open, Publish, Resume, RunId}
import stoplog.sink.{CommitOutcome, Staged}
import stoplog.storage._
import stoplog.storage.hadoop.{HadoopFiles, HadoopStaged, Trimming, ValidLengths}

/** Parts as files of HDFS, or of any file system with its abilities: append, truncate, and leases.
  *
  * A part is gone on with in place only while this process holds the lease of its file and finds it as long as the
  * record says. Everything else is copied: cutting a file that is open could cut what a newer run has committed,
  * because the file system cannot compare and cut in one step. Only what a record closes for good is cut.
  *
  * @param trimming `ValidLength`, or it is cut
  */
final class HdfsPartStore(
    files: HadoopFiles,
    sinkId: String,
    layout: PartLayout,
    trimming: Trimming,
    lengths: ValidLengths,
    faults: Faults
) extends PartStore
    with Serializable {
  @transient private lazy val streams    = new HdfsStreams(files)
  @transient private lazy val leases     = new HdfsLeases(files)
  @transient private lazy val prefix     = new HdfsPrefix(files, leases)
  @transient private lazy val publishing = new HdfsPublishing(files, leases, trimming, lengths, faults)

  override def create(part: NewPart): PartOutput = output(layout.inProgress(part, PartLayout.unique()))

  override def resume(open: Resume, validBytes: Long): PartOutput = {
    val path = files.at(open.token)
    appended(path, validBytes) match {
      case Some(stream) if stream.out.getPos == validBytes => new HdfsOutput(path, open.token, stream)
      case Some(stream)                                    =>
        val actual = stream.out.getPos
        files.writing(path)(stream.out.close())
        if (actual < validBytes) throw Errors.partShort(path.toString, actual, validBytes)
        copied(open, validBytes, layout.another(open.token, PartLayout.unique()))
      case None => copied(open, validBytes, layout.another(open.token, PartLayout.unique()))
    }
  }

  override def takeOver(open: Resume, validBytes: Long, part: NewPart): PartOutput =
    copied(open, validBytes, layout.inProgress(part, PartLayout.unique()))

  override def isolate(open: Resume, validBytes: Long, part: NewPart): Closed =
    takeOver(open, validBytes, part).finish()

  override def publish(part: Publish, sizeBytes: Long, finishedPath: String): CommitOutcome = {
    val staged = files.at(part.token)
    files.writing(files.at(finishedPath)) {
      val outcome = publishing.publish(staged, pending(part.token), files.at(finishedPath), sizeBytes)
      if (outcome == CommitOutcome.Committed) cleanUp(part.token)
      outcome
    }
  }

  override def isStaged(token: String): Boolean = files.writing(files.at(token)) {
    Seq(files.at(token), pending(token)).exists(files.status(_).isDefined)
  }

  override def staged(): Vector[Staged] =
    HadoopStaged.list(files, sinkId, layout)(_.stripSuffix(HdfsPartStore.Pending))

  override def discard(token: String): Unit = files.writing(files.at(token)) {
    files.delete(files.at(token))
    files.delete(pending(token))
    cleanUp(token)
  }

  /** Nothing is announced here: the leases of the files themselves keep others off, and cost no calls. */
  override def enter(run: RunId): WriterLease = () => ()

  override def othersGone(run: RunId): Boolean = false

  /** Ends the leases of all writers, and only then waits: the servers recover many files at a time.
    *
    * A part that has junk behind its committed bytes is to be copied, and so is one whose lease does not end. An outage
    * says nothing about any part. Error: `STOPLOG_STORE_WRITE`.
    */
  override def fence(run: RunId, open: Vector[Open]): Vector[FenceOutcome] = {
    val asked = Bounded.map(open)(part => part -> unlessDoubtful(part)(leases.ask(at(part))))
    Bounded.map(asked) {
      case (part, Some(closed)) => unlessDoubtful(part)(fenced(part, closed)).getOrElse(FenceOutcome.Doubtful)
      case (_, None)            => FenceOutcome.Doubtful
    }
  }

  /** Whether the path can be used at all. Error: `STOPLOG_PATH_NOT_WRITABLE`. */
  def probe(): Unit = new HdfsProbe(files, streams, leases, trimming).probe(sinkId, layout)

  private def fenced(part: Open, closed: Boolean): FenceOutcome = {
    if (!closed) leases.awaitClosed(at(part))
    val actual = files.fileSystem.getFileStatus(at(part)).getLen
    if (actual == part.validBytes) FenceOutcome.Owned else FenceOutcome.Doubtful
  }

  /** `None` for a part of which only the writer that goes on with it can tell more. */
  private def unlessDoubtful[A](part: Open)(action: => A): Option[A] = files.writing(at(part)) {
    try Some(action)
    catch {
      case _: FileNotFoundException                 => None
      case e: IOException if HdfsRefusals.isBusy(e) => None
    }
  }

  private def at(part: Open): Path = files.at(part.handle.token)

  private def output(token: String): HdfsOutput = {
    val path = files.at(token)
    new HdfsOutput(path, token, files.writing(path)(streams.create(path)))
  }

  /** `None` when another client has the lease. Error: `STOPLOG_STORE_WRITE` when HDFS does not tell. */
  private def appended(path: Path, validBytes: Long): Option[HdfsStream] = files.writing(path) {
    try Some(streams.append(path))
    catch {
      case _: FileNotFoundException                 => throw Errors.partShort(path.toString, 0, validBytes)
      case e: IOException if HdfsRefusals.isBusy(e) => None
    }
  }

  private def copied(open: Resume, validBytes: Long, token: String): PartOutput = {
    val copy = output(token)
    try prefix.copy(files.at(open.token), validBytes, copy)
    catch { case e: Throwable => copy.close(); throw e }
    copy
  }

  private def pending(token: String): Path =
    files.at(layout.pending(token).getOrElse(token + HdfsPartStore.Pending))

  /** Removes the directories that held only this part. */
  private def cleanUp(token: String): Unit =
    if (layout.root.nonEmpty) files.deleteIfEmpty(files.at(token).getParent, files.at(layout.root))
}

private object HdfsPartStore {

  /** Ends the name of a staged part that is on its way to its final name. */
  private val Pending = ".pending"
}
