// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import java.io.{EOFException, FileNotFoundException, IOException, InputStream}

import scala.util.Using

import org.apache.hadoop.fs.Path

import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.part.{Closed, Open, Publish, Resume, RunId}
import stoplog.sink.{CommitOutcome, Staged}
import stoplog.storage._
import stoplog.storage.hadoop.{HadoopFiles, HadoopPartStore, Trimming, ValidLengths}
import stoplog.thread.Pooled

/** Parts as files of HDFS, or of any file system with the same capabilities: append, truncate, and leases.
  *
  * A part is continued in place only if this process holds the lease of the file and the length matches the
  * record. Any other part is copied. Truncating an open file could remove bytes committed by a newer run,
  * because the file system cannot compare and truncate in one step. A file is truncated only if a record
  * closes the file finally. Writers do not announce themselves: the leases of the files exclude other
  * writers and cost no calls.
  *
  * @param trimming whether a file gets a `ValidLength` file or is truncated
  */
private[stoplog] final class HdfsPartStore(
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
  @transient private lazy val publishing = new HdfsPublishing(files, leases, trimming, lengths, faults)

  override def create(part: NewPart): PartOutput = output(layout.inProgress(part, PartLayout.unique()))

  override def resume(open: Resume, validBytes: Long): PartOutput = {
    val path = files.at(open.token)
    appended(path, validBytes) match {
      case Some(stream) if stream.out.getPos == validBytes =>
        new HdfsPartStore.Output(path, open.token, stream)
      case Some(stream) =>
        val actual = stream.out.getPos
        files.writing(path)(stream.out.close())
        if (actual < validBytes) throw Errors.partShort(path.toString, actual, validBytes)
        copied(open, validBytes, layout.another(open.token, PartLayout.unique()))
      case None => copied(open, validBytes, layout.another(open.token, PartLayout.unique()))
    }
  }

  override def takeOver(open: Resume, validBytes: Long, part: NewPart): PartOutput =
    copied(open, validBytes, layout.inProgress(part, PartLayout.unique()))

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
    HadoopPartStore.staged(files, sinkId, layout)(_.stripSuffix(HdfsPartStore.Pending))

  override def discard(token: String): Unit = files.writing(files.at(token)) {
    files.delete(files.at(token))
    files.delete(pending(token))
    cleanUp(token)
  }

  /** Ends the leases of all writers before waiting, because the servers recover many files at a time.
    *
    * A part is to be copied if the file has bytes after the committed bytes, or if the lease does not end. An
    * outage decides nothing about any part. Error: `STOPLOG_STORE_WRITE`.
    */
  override def fence(run: RunId, open: Vector[Open]): Vector[FenceOutcome] = {
    val recovering =
      HdfsPartStore.inParallel(open)(part => part -> unlessDoubtful(part)(leases.recover(at(part))))
    HdfsPartStore.inParallel(recovering) {
      case (part, Some(closed)) => unlessDoubtful(part)(fenced(part, closed)).getOrElse(FenceOutcome.Doubtful)
      case (_, None)            => FenceOutcome.Doubtful
    }
  }

  /** Checks whether the path is usable. Error: `STOPLOG_PATH_NOT_WRITABLE`. */
  def probe(): Unit = new HdfsStorage.HdfsProbe(files, streams, leases, trimming).probe(sinkId, layout)

  private def fenced(part: Open, closed: Boolean): FenceOutcome = {
    if (!closed) leases.awaitClosed(at(part))
    val actual = files.fileSystem.getFileStatus(at(part)).getLen
    if (actual == part.validBytes) FenceOutcome.Owned else FenceOutcome.Doubtful
  }

  /** `None` for a part whose state only the continuing writer can determine. */
  private def unlessDoubtful[A](part: Open)(action: => A): Option[A] = files.writing(at(part)) {
    try Some(action)
    catch {
      case _: FileNotFoundException               => None
      case e: IOException if HdfsLeases.isBusy(e) => None
    }
  }

  private def at(part: Open): Path = files.at(part.handle.token)

  private def output(token: String): PartOutput = {
    val path = files.at(token)
    new HdfsPartStore.Output(path, token, files.writing(path)(streams.create(path)))
  }

  /** `None` if another client has the lease. Error: `STOPLOG_STORE_WRITE` if HDFS does not respond. */
  private def appended(path: Path, validBytes: Long): Option[HdfsStreams.HdfsStream] = files.writing(path) {
    try Some(streams.append(path))
    catch {
      case _: FileNotFoundException               => throw Errors.partShort(path.toString, 0, validBytes)
      case e: IOException if HdfsLeases.isBusy(e) => None
    }
  }

  private def copied(open: Resume, validBytes: Long, token: String): PartOutput = {
    val copy = output(token)
    try copyPrefix(files.at(open.token), validBytes, copy)
    catch { case e: Throwable => copy.close(); throw e }
    copy
  }

  /** Copies the committed bytes of a part, even while another client is still appending bytes. */
  private def copyPrefix(from: Path, validBytes: Long, to: PartOutput): Unit = files.writing(from) {
    try
      Using.resource(opened(from)) { in =>
        try HadoopFiles.copy(in, from, validBytes, to)
        catch { case _: EOFException => throw Errors.partShort(from.toString, to.position, validBytes) }
      }
    catch { case _: FileNotFoundException => throw Errors.partShort(from.toString, 0, validBytes) }
  }

  /** The length of a block is unknown for a moment after the start of a recovery. If a writer died together
    * with its DataNode, the length is unknown until the lease is ended.
    */
  private def opened(from: Path): InputStream =
    try files.open(from)
    catch {
      case gone: FileNotFoundException => throw gone
      case _: IOException              =>
        leases.end(from)
        files.open(from)
    }

  private def pending(token: String): Path =
    files.at(layout.pending(token).getOrElse(token + HdfsPartStore.Pending))

  /** Removes the directories that contained only this part. */
  private def cleanUp(token: String): Unit =
    if (layout.root.nonEmpty) files.deleteIfEmpty(files.at(token).getParent, files.at(layout.root))
}

private object HdfsPartStore {

  /** The suffix of a staged part during the move to the final name. */
  private val Pending = ".pending"

  /** Runs many short server calls, a few at a time, like [[Pooled.map]]. */
  private def inParallel[A, B](items: Vector[A])(action: A => B): Vector[B] =
    if (items.sizeIs <= 1) items.map(action)
    else Pooled.map(items, Threads, "stoplog-hdfs", _ => ())(action).toVector

  private val Threads = 16

  /** The end of a file that only this process may write. */
  private final class Output(path: Path, token: String, stream: HdfsStreams.HdfsStream) extends PartOutput {

    override def position: Long = stream.out.getPos

    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = io(
      stream.out.write(bytes, offset, length)
    )

    override def persist(inRecordBytes: Int): Resume = {
      end()
      Resume(token)
    }

    override def finish(): Closed = {
      end()
      Closed(token)
    }

    override def close(): Unit =
      try stream.out.close()
      catch { case _: IOException => () } // fenced or unreachable: no bytes were promised

    /** Closes the file after each epoch, so that any process can start the next epoch. */
    private def end(): Unit = io(stream.end())

    private def io(action: => Unit): Unit =
      try action
      catch { case e: IOException => throw Errors.storeWrite(path.toString, HadoopFiles.reason(e), e) }
  }
}
