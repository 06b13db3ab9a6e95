// SPDX-License-Identifier: Apache-2.0
package stoplog.store.local

import java.nio.file.{FileAlreadyExistsException, Files, NoSuchFileException, Path, StandardOpenOption}

import stoplog.error.Errors
import stoplog.fault.{Faults, Step}
import stoplog.sink.CommitOutcome
import stoplog.thread.Uninterrupted

/** How a local file becomes visible. */
private[local] object LocalPublishing {

  /** Link, then unlink. Several processes may do it at once, and any of them may die anywhere.
    *
    * @param located the unfinished file, if it is still there
    * @param unlinked what to do once the unfinished name is gone
    */
  def publish(
      located: () => Option[Path],
      target: Path,
      sizeBytes: Long,
      durability: Durability,
      faults: Faults
  )(unlinked: => Unit): CommitOutcome = {

    @scala.annotation.tailrec
    def attempt(left: Int): CommitOutcome = located() match {
      case None       => alreadyThere(target, sizeBytes)
      case Some(file) =>
        if (wasMoved(file, target)) {
          Files.deleteIfExists(file)
          unlinked
          CommitOutcome.AlreadyCommitted
        } else if (link(file, target, sizeBytes, durability)) {
          faults.at(Step.MidPublish)
          durability.syncDirectory(target.getParent)
          Files.deleteIfExists(file)
          unlinked
          CommitOutcome.Committed
        } else if (left > 1) attempt(left - 1) // another publisher was faster: look again
        else throw new NoSuchFileException(file.toString)
    }

    LocalFiles.writing(target)(attempt(left = 3))
  }

  /** Whether the part had been visible when a publisher died between link and unlink, and was then taken elsewhere:
    * finished files belong to their readers, and a moved one still shares the inode. The links are counted first: a
    * second one that is being made just now is then found under the target's name.
    */
  private def wasMoved(file: Path, target: Path): Boolean = links(file) > 1 && !Files.exists(target)

  private def links(file: Path): Int =
    try Files.getAttribute(file, "unix:nlink").asInstanceOf[Int]
    catch {
      case _: UnsupportedOperationException | _: IllegalArgumentException => 1 // no such attribute here
      case _: NoSuchFileException                                         => 0 // another publisher was faster
    }

  private def alreadyThere(target: Path, sizeBytes: Long): CommitOutcome =
    if (!Files.exists(target)) CommitOutcome.Lost
    else {
      val actual = Files.size(target)
      if (actual == sizeBytes) CommitOutcome.AlreadyCommitted
      else throw Errors.nameTaken(target.toString, s"it holds $actual bytes, the part has $sizeBytes")
    }

  /** Whether the file is there under both names now; `false` when the unfinished name has gone meanwhile. */
  private def link(file: Path, target: Path, sizeBytes: Long, durability: Durability): Boolean =
    try {
      cutTo(file, sizeBytes, durability)
      Durability.createDirectories(target.getParent, durability)
      try Files.createLink(target, file)
      catch {
        case _: FileAlreadyExistsException =>
          if (!Files.isSameFile(target, file))
            throw Errors.nameTaken(target.toString, "another file is there, which is not this part")
      }
      true
    } catch { case _: NoSuchFileException if !Files.exists(file) => false }

  /** What lies behind the recorded length was never committed (I2). */
  private def cutTo(file: Path, sizeBytes: Long, durability: Durability): Unit = {
    val actual = Files.size(file)
    if (actual < sizeBytes) throw Errors.partShort(file.toString, actual, sizeBytes)
    if (actual > sizeBytes)
      Uninterrupted.channel(file, StandardOpenOption.WRITE) {
        channel => // which, unlike a stream, makes no file
          channel.truncate(sizeBytes)
          durability.sync(channel)
      }
  }
}
