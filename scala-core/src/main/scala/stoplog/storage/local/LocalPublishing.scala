// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.nio.file.{
  AtomicMoveNotSupportedException, Files, LinkOption, NoSuchFileException, Path, StandardCopyOption,
  StandardOpenOption
}

import stoplog.error.Errors
import stoplog.fault.{Faults, Step}
import stoplog.sink.CommitOutcome
import stoplog.thread.Uninterrupted

/** Makes a local file visible by a rename, which takes the unfinished name away in the same step.
  *
  * So a part is published once (I3), whichever processes are at it and whichever die, and how many names its file has
  * says nothing: others make hard links too (`cp -al`, `rsync --link-dest`, tools that join equal files). A link and
  * then the removal of the unfinished name would leave a moment from which no process can tell whether a reader has
  * taken the part or not.
  *
  * A rename replaces what it finds, so a look comes first (I6). What could appear between the two has a name that occurs
  * once in the world: it would be a copy of this very part.
  */
private[local] object LocalPublishing {

  /** Several processes may do it at once, and any of them may die anywhere.
    *
    * @param located the unfinished file, if it is still there
    * @param renamed is called once the unfinished name is gone
    */
  def publish(
      located: () => Option[Path],
      target: Path,
      sizeBytes: Long,
      durability: LocalForcing,
      faults: Faults
  )(renamed: => Unit): CommitOutcome = {

    @scala.annotation.tailrec
    def attempt(left: Int): CommitOutcome = located() match {
      case None       => alreadyThere(target, sizeBytes, durability)
      case Some(file) =>
        rename(file, target, sizeBytes, durability) match {
          case Some(outcome) =>
            faults.at(Step.MidPublish)
            durability.syncDirectory(target.getParent)
            renamed
            outcome
          case None if left > 1 => attempt(left - 1) // another publisher was faster: look again
          case None             => throw new NoSuchFileException(file.toString)
        }
    }

    LocalFiles.writing(target)(attempt(left = 3))
  }

  /** Error: `STOPLOG_PATH_NOT_WRITABLE` if a directory of finished parts lies on another file system than the unfinished ones,
    * as by a link or a mount: no file can be renamed from one to the other. A mount of the same file system is found when the
    * part is published.
    */
  def refuseElsewhere(unfinished: Path, finished: Path): Unit =
    if (!LocalFiles.areOnOneFileSystem(unfinished, finished)) throw elsewhere(unfinished, finished)

  private def elsewhere(unfinished: Path, finished: Path) = Errors.pathNotWritable(
    finished.toString,
    s"it is on another file system than $unfinished, and a part is renamed from there to be finished; bring the directory " +
      "back to where it was, or let a new sink write with inProgress=bucket"
  )

  /** The process that renamed it may have died before the name was durable. */
  private def alreadyThere(target: Path, sizeBytes: Long, durability: LocalForcing): CommitOutcome =
    LocalFiles.attributes(target).map(_.size) match {
      case None              => CommitOutcome.Lost
      case Some(`sizeBytes`) =>
        durability.syncDirectory(target.getParent)
        CommitOutcome.AlreadyCommitted
      case Some(actual) =>
        throw Errors.nameTaken(target.toString, s"it holds $actual bytes, the part has $sizeBytes")
    }

  /** `None` when the unfinished name has gone meanwhile. */
  private def rename(
      file: Path,
      target: Path,
      sizeBytes: Long,
      durability: LocalForcing
  ): Option[CommitOutcome] =
    try {
      cutTo(file, sizeBytes, durability)
      LocalForcing.createDirectories(target.getParent, durability)
      if (LocalFiles.attributes(target, LinkOption.NOFOLLOW_LINKS).isDefined) Some(taken(file, target))
      else {
        Files.move(file, target, StandardCopyOption.ATOMIC_MOVE)
        Some(CommitOutcome.Committed)
      }
    } catch {
      case _: NoSuchFileException if !LocalFiles.exists(file) => None
      case _: AtomicMoveNotSupportedException => throw elsewhere(file.getParent, target.getParent)
    }

  /** One file under both names is this part: a hard link to it was made there. */
  private def taken(file: Path, target: Path): CommitOutcome =
    if (Files.isSameFile(target, file)) {
      Files.deleteIfExists(file)
      CommitOutcome.AlreadyCommitted
    } else throw Errors.nameTaken(target.toString, "another file is there, which is not this part")

  /** Cuts the bytes behind the recorded length, which were never committed (I2). Another name of the file may be in
    * another sink's log, with another length.
    */
  private def cutTo(file: Path, sizeBytes: Long, durability: LocalForcing): Unit = {
    val actual = Files.size(file)
    if (actual < sizeBytes) throw Errors.partShort(file.toString, actual, sizeBytes)
    if (actual > sizeBytes) {
      if (LocalFiles.isShared(file)) throw Errors.partShared(file.toString, actual, sizeBytes)
      Uninterrupted.channel(file, StandardOpenOption.WRITE) {
        channel => // which, unlike a stream, makes no file
          channel.truncate(sizeBytes)
          durability.sync(channel)
      }
    }
  }
}
