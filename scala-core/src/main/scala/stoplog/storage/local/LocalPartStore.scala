// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.io.{IOException, RandomAccessFile}
import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.part.{Closed, Open, Publish, Resume, RunId}
import stoplog.sink.{CommitOutcome, Staged}
import stoplog.storage._

/** Stores parts as files of a local file system, or of a file system that is mounted everywhere.
  *
  * A rename to the final name publishes a part: atomically, once, and never over an existing file (I6).
  * Nothing is cached, so the store can be sent to any process.
  *
  * @param root the sink's path, as a plain file path
  * @param host the check of a task's host; the default is for a store of the driver's process
  */
private[stoplog] final class LocalPartStore(
    root: String,
    sinkId: String,
    layout: PartLayout,
    durability: LocalForcing,
    faults: Faults,
    host: TaskHost = TaskHost.ofThisDriver
) extends PartStore
    with Serializable {

  override def create(part: NewPart): PartOutput = output(placed(part))

  /** Resumes in a copy if the file has another hard link, which would show the changes, too. */
  override def resume(open: Resume, validBytes: Long): PartOutput = {
    val path = writing(open.token)(backInProgress(open.token))
    // checked first: a stream would create a new file
    if (!writing(open.token)(LocalFiles.exists(path))) throw gone(open, validBytes)
    if (writing(open.token)(LocalFiles.isShared(path)))
      copied(open, path, validBytes, layout.another(open.token, PartLayout.unique()))
    else resumed(open, path, validBytes)
  }

  override def takeOver(open: Resume, validBytes: Long, part: NewPart): PartOutput = {
    val from = writing(open.token)(located(open.token)).getOrElse(throw gone(open, validBytes))
    copied(open, from, validBytes, placed(part))
  }

  override def publish(part: Publish, sizeBytes: Long, finishedPath: String): CommitOutcome = {
    val target = at(finishedPath)
    LocalPublishing.publish(() => located(part.token), target, sizeBytes, durability, faults) {
      cleanUp(part.token)
    }
  }

  override def staged(): Vector[Staged] = writing(layout.root) {
    val nested = new NestedSinks
    val places =
      Set(at(layout.root), at(PartLayout.Staging(sinkId).root)) // also contains drafts of records
    places.toVector
      .flatMap(files(_, nested))
      .map(file => file -> relative(file))
      .filterNot { case (_, path) => nested.own(path) }
      .flatMap { case (file, path) =>
        val token =
          if (path.startsWith(PartLayout.Staging(sinkId).root + "/")) Some(path) else layout.tokenOf(path)
        token.flatMap(t => LocalFiles.modifiedMillis(file).map(Staged(t, _)))
      }
      .distinct
  }

  override def isStaged(token: String): Boolean = writing(token)(located(token).isDefined)

  override def discard(token: String): Unit = writing(token) {
    located(token).foreach(Files.deleteIfExists(_))
    cleanUp(token)
  }

  override def enter(run: RunId): AutoCloseable =
    writing(SinkDirectory.Root) {
      val lease = WriterLeases.enter(writers, run.value, durability)
      () => writing(SinkDirectory.Root)(lease.close())
    }

  override def refuseUnannounced(run: RunId): Unit = writing(SinkDirectory.Root) {
    if (!WriterLeases.isAnnounced(writers, run.value))
      throw host.unseenByTask(root, s"${SinkDirectory(sinkId).writers}/${run.value}-*")
  }

  override def refuseHost(): Unit = host.refuseCached(Paths.get(root))

  override def refuseLost(tokens: Seq[String]): Unit =
    tokens.find(!isStaged(_)).foreach(token => throw host.unseenByDriver(root, token))

  override def othersGone(run: RunId): Boolean =
    try WriterLeases.othersGone(writers, run.value)
    catch { case _: IOException => false } // without locks, every writer may be alive

  /** A file with another hard link may belong to another sink, whose directory was copied by hard links. */
  override def fence(run: RunId, open: Vector[Open]): Vector[FenceOutcome] =
    super.fence(run, open).zip(open).map {
      case (FenceOutcome.Owned, part) if isShared(part.handle.token) => FenceOutcome.Doubtful
      case (outcome, _)                                              => outcome
    }

  /** Returns the token of a new part. Checks, before a record exists, that the part can be published. */
  private def placed(part: NewPart): String = {
    val token = layout.inProgress(part, PartLayout.unique())
    writing(token)(LocalPublishing.refuseElsewhere(at(token).getParent, at(part.bucket)))
    token
  }

  private def resumed(open: Resume, path: Path, validBytes: Long): PartOutput = {
    val file = writing(open.token)(new RandomAccessFile(path.toFile, "rw"))
    try {
      val actual = file.length()
      if (actual < validBytes) throw Errors.partShort(path.toString, actual, validBytes)
      if (actual > validBytes) writing(open.token)(file.setLength(validBytes))
      file.seek(validBytes)
    } catch { case e: Throwable => file.close(); throw e }
    new LocalPartStore.Output(path, open.token, file, durability, validBytes, () => toPending(open.token))
  }

  /** Copies the committed bytes of an open part into a separate file. */
  private def copied(open: Resume, from: Path, validBytes: Long, token: String): PartOutput = {
    val copy = output(token)
    try copyPrefix(open.token, from, validBytes, copy)
    catch { case e: Throwable => copy.close(); throw e }
    copy
  }

  private def output(token: String): PartOutput = {
    val path = at(token)
    val file = writing(token) {
      LocalForcing.creatingIn(path.getParent, durability)(new RandomAccessFile(path.toFile, "rw"))
    }
    new LocalPartStore.Output(path, token, file, durability, startBytes = 0, () => toPending(token))
  }

  private def gone(open: Resume, validBytes: Long): Throwable =
    Errors.partShort(at(open.token).toString, 0, validBytes)

  private def copyPrefix(token: String, from: Path, validBytes: Long, to: PartOutput): Unit = {
    val file = writing(token)(new RandomAccessFile(from.toFile, "r"))
    try {
      if (file.length() < validBytes) throw Errors.partShort(from.toString, file.length(), validBytes)
      val buffer = new Array[Byte](128 << 10)
      var left   = validBytes
      while (left > 0) {
        val count = left.min(buffer.length.toLong).toInt
        writing(token)(file.readFully(buffer, 0, count))
        to.write(buffer, 0, count)
        left -= count
      }
    } finally file.close()
  }

  /** Reverts a final close that no record contains: the part continues under its in-progress name. */
  private def backInProgress(token: String): Path = {
    val path = at(token)
    layout.pending(token).map(at).filter(LocalFiles.exists).foreach(Files.move(_, path))
    path
  }

  private def toPending(token: String): Unit = layout.pending(token).foreach { pending =>
    Files.move(at(token), at(pending))
  }

  private def located(token: String): Option[Path] =
    (Iterator(at(token)) ++ layout.pending(token).map(at)).find(LocalFiles.exists)

  private def isShared(token: String): Boolean = writing(token)(located(token).exists(LocalFiles.isShared))

  /** Removes the directories that contained only this part. Stops at a directory with other content. */
  private def cleanUp(token: String): Unit = if (layout.root.nonEmpty) {
    val top = at(layout.root)
    Iterator
      .iterate(at(token).getParent)(_.getParent)
      .takeWhile(directory => directory != top && directory.startsWith(top))
      .forall { directory =>
        val gone = directory.toFile.delete()
        if (gone) LocalForcing.removed(directory)
        gone
      }
    ()
  }

  /** Returns the files under a directory. Lists the directory `_stoplog` only if the listing starts in it. */
  private def files(directory: Path, nested: NestedSinks): Vector[Path] = {
    val own = Paths.get(root, SinkDirectory.Root)
    LocalFiles
      .underRoot(directory)(entered => directory.startsWith(own) || nested.enters(relative(entered)))
      .filter(LocalFiles.attributes(_).exists(_.isRegularFile))
  }

  private def relative(file: Path): String = Paths.get(root).relativize(file).asScala.mkString("/")

  private def writers: Path = Paths.get(root, SinkDirectory(sinkId).writers)

  private def at(path: String): Path = LocalFiles.below(root, path)

  private def writing[A](path: String)(action: => A): A = LocalFiles.writing(at(path))(action)
}

private object LocalPartStore {

  /** The output to a local file. Uses no interruptible channel, because the cancellation of a task must not
    * damage the file.
    *
    * @param closed called at the final close, once the bytes are durable
    */
  private final class Output(
      path: Path,
      token: String,
      file: RandomAccessFile,
      durability: LocalForcing,
      startBytes: Long,
      closed: () => Unit
  ) extends PartOutput {
    private[this] var written = startBytes
    private[this] val early   = durability.early(file)

    override def position: Long = written

    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = {
      io {
        file.write(bytes, offset, length)
        early.foreach(_.wrote(length))
      }
      written += length
    }

    override def persist(inRecordBytes: Int): Resume = {
      end()
      Resume(token)
    }

    override def finish(): Closed = {
      end()
      io(closed())
      Closed(token)
    }

    override def close(): Unit =
      try file.close()
      catch { case _: IOException => () }

    private def end(): Unit =
      try
        io {
          early.foreach(_.await())
          durability.sync(file)
          if (startBytes == 0) durability.syncDirectory(path.getParent) // the name may be new, too
        }
      finally close()

    private def io(action: => Unit): Unit = LocalFiles.writing(path)(action)
  }
}
