// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.nio.file.{
  AtomicMoveNotSupportedException, Files, NoSuchFileException, Path, StandardCopyOption, StandardOpenOption
}

import stoplog.error.Errors
import stoplog.fault.{Faults, Step}
import stoplog.sink.CommitOutcome
import stoplog.thread.Uninterrupted

/** Makes a local file visible by a rename, which removes the unfinished name in the same step.
  *
  * So a part is published once (I3), regardless of concurrent processes and crashes. The number of hard links
  * of the file is no evidence, because other programs create hard links too (`cp -al`, `rsync --link-dest`,
  * tools that join equal files). A link and a later removal of the unfinished name would not be atomic.
  * Between these two steps, no process could find out whether a reader has already deleted the part.
  *
  * A rename replaces an existing file, so the target is checked first (I6). A file that appears between the
  * check and the rename has a globally unique name: it can only be a copy of this part.
  */
private[local] object LocalPublishing {

  /** Several processes may call the method concurrently, and any of them may die at any step.
    *
    * @param located returns the unfinished file, if the file still exists
    * @param renamed called once the unfinished name does not exist any more
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
            durability.syncAround(target)
            renamed
            outcome
          case None if left > 1 => attempt(left - 1) // another publisher was faster: check again
          case None             => throw new NoSuchFileException(file.toString)
        }
    }

    LocalFiles.writing(target)(attempt(left = 3))
  }

  /** Checks that finished and unfinished parts are on one file system. A link or a mount may separate them,
    * and a file cannot be renamed to another file system. A mount of the same file system is only detected
    * when the part is published. Error: `STOPLOG_PATH_NOT_WRITABLE`.
    */
  def refuseElsewhere(unfinished: Path, finished: Path): Unit =
    if (!LocalFiles.areOnOneFileSystem(unfinished, finished)) throw elsewhere(unfinished, finished)

  private def elsewhere(unfinished: Path, finished: Path) = Errors.pathNotWritable(
    finished.toString,
    s"it is on another file system than $unfinished, and a part cannot be renamed between file systems; " +
      "move the directory back, or use a new sink with inProgress=bucket"
  )

  /** Forces the directory: the process that renamed the file may have died before the name was durable. */
  private def alreadyThere(target: Path, sizeBytes: Long, durability: LocalForcing): CommitOutcome =
    LocalFiles.attributes(target).map(_.size) match {
      case None              => CommitOutcome.Lost
      case Some(`sizeBytes`) =>
        durability.syncDirectory(target.getParent)
        CommitOutcome.AlreadyCommitted
      case Some(actual) =>
        throw Errors.nameTaken(target.toString, s"the file has $actual bytes, and the part has $sizeBytes")
    }

  /** Returns `None` if the unfinished name does not exist any more. */
  private def rename(
      file: Path,
      target: Path,
      sizeBytes: Long,
      durability: LocalForcing
  ): Option[CommitOutcome] =
    try {
      cutTo(file, sizeBytes, durability)
      LocalForcing.creatingIn(target.getParent, durability) {
        if (LocalFiles.isNamed(target)) Some(taken(file, target))
        else {
          Files.move(file, target, StandardCopyOption.ATOMIC_MOVE)
          Some(CommitOutcome.Committed)
        }
      }
    } catch {
      case _: NoSuchFileException if !LocalFiles.exists(file) => None
      case _: AtomicMoveNotSupportedException => throw elsewhere(file.getParent, target.getParent)
    }

  /** If both names denote one file, the target is a hard link to this part. */
  private def taken(file: Path, target: Path): CommitOutcome =
    if (Files.isSameFile(target, file)) {
      Files.deleteIfExists(file)
      CommitOutcome.AlreadyCommitted
    } else throw Errors.nameTaken(target.toString, "the file of this name is not this part")

  /** Truncates the bytes after the recorded length, which were never committed (I2). Fails if the file has
    * another hard link, because the other name may be in another sink's log with another length.
    */
  private def cutTo(file: Path, sizeBytes: Long, durability: LocalForcing): Unit = {
    val actual = Files.size(file)
    if (actual < sizeBytes) throw Errors.partShort(file.toString, actual, sizeBytes)
    if (actual > sizeBytes) {
      if (LocalFiles.isShared(file)) throw Errors.partShared(file.toString, actual, sizeBytes)
      Uninterrupted.channel(file, StandardOpenOption.WRITE) {
        channel => // a channel, unlike a stream, creates no file
          channel.truncate(sizeBytes)
          durability.sync(channel)
      }
    }
  }
}
