// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.io.IOException

import stoplog.error.Errors
import stoplog.fault.Step
import stoplog.part.{Closed, Publish, Resume, RunId}
import stoplog.sink.{CommitOutcome, Staged}
import stoplog.store._

/** Parts on the simulated disk, in the same small steps as the stores on disks take them: a file gets its final name, and
  * loses the other.
  */
final class SimParts(world: World, isForced: String => Boolean) extends PartStore {
  import world.{disk, op}

  override def create(part: NewPart): PartOutput = {
    val token = tokenOf(part)
    new Output(op(s"create $token")(disk.create(token)), start = 0)
  }

  override def resume(open: Resume, validBytes: Long): PartOutput = {
    val inode = op(s"open $open in place")(existing(open.token))
    op(s"cut ${open.token} to $validBytes") {
      if (inode.length < validBytes) throw Errors.partShort(open.token, inode.length.toLong, validBytes)
      disk.truncate(inode, validBytes.toInt)
    }
    world.opened()
    new Output(inode, validBytes.toInt)
  }

  override def takeOver(open: Resume, validBytes: Long, part: NewPart): PartOutput =
    copied(open, validBytes, tokenOf(part))

  private def copied(open: Resume, validBytes: Long, token: String): PartOutput = {
    val from = op(s"look for ${open.token} to copy it")(existing(open.token))
    val copy = new Output(op(s"create $token to take over")(disk.create(token)), start = 0)
    if (from.length < validBytes) throw Errors.partShort(open.token, from.length.toLong, validBytes)
    val half = validBytes.toInt / 2
    copyRange(from, 0, half, copy)
    copyRange(from, half, validBytes.toInt, copy)
    copy
  }

  override def isolate(open: Resume, validBytes: Long, part: NewPart): Closed =
    copied(open, validBytes, tokenOf(part)).finish()

  override def publish(part: Publish, sizeBytes: Long, finishedPath: String): CommitOutcome =
    world.surroundings.store match {
      case StoreKind.Renaming => renamed(part, sizeBytes, finishedPath)
      case _                  => linked(part, sizeBytes, finishedPath, left = 3)
    }

  @scala.annotation.tailrec
  private def linked(part: Publish, sizeBytes: Long, name: String, left: Int): CommitOutcome =
    op(s"look for ${part.token} to publish")(
      disk.staged.get(part.token).map(_ -> wasMoved(part, name))
    ) match {
      case None            => alreadyThere(sizeBytes, name)
      case Some((_, true)) =>
        op(s"unlink ${part.token}, which was moved")(disk.unlink(part.token))
        CommitOutcome.AlreadyCommitted
      case Some((inode, _)) =>
        cutTo(inode, sizeBytes)
        if (link(inode, name)) {
          world.faults.at(Step.MidPublish)
          forced(Names.directoryOf(name))
          op(s"unlink ${part.token}")(disk.unlink(part.token))
          CommitOutcome.Committed
        } else if (left > 1) linked(part, sizeBytes, name, left - 1)
        else throw missing(part.token)
    }

  /** As the local store asks it: a second name that is not the final one is taken for its reader's. */
  private def wasMoved(part: Publish, name: String): Boolean =
    disk.staged.get(part.token).exists(disk.links(_) > 1) && !disk.finished.contains(name)

  private def renamed(part: Publish, sizeBytes: Long, name: String): CommitOutcome =
    op(s"look for ${part.token} to rename it")(disk.staged.get(part.token)) match {
      case None        => alreadyThere(sizeBytes, name)
      case Some(inode) =>
        cutTo(inode, sizeBytes)
        world.faults.at(Step.MidPublish)
        val isMine = op(s"rename ${part.token} to $name") {
          val mine = disk.staged.contains(part.token)
          if (mine && disk.finished.contains(name)) throw Errors.nameTaken(name, "another file is there")
          if (mine) {
            disk.link(inode, name)
            disk.unlink(part.token)
          }
          mine
        }
        if (isMine) CommitOutcome.Committed else alreadyThere(sizeBytes, name)
    }

  /** A step of its own only where it makes a difference. */
  private def forced(directory: String): Unit = world.surroundings.power match {
    case PowerTakes.Names =>
      if (isForced(directory)) op(s"force the names in '$directory'")(disk.names.force(directory))
    case PowerTakes.Bytes => ()
  }

  override def staged(): Vector[Staged] = op("list unfinished files") {
    world
      .listed(disk.staged.valuesIterator)
      .map(inode => Staged(inode.token, inode.modifiedAtMillis + world.traits.storageClockSkewMillis))
      .toVector
  }

  override def discard(token: String): Unit = op(s"discard $token") {
    world.oracle.deleting(token)
    disk.unlink(token)
  }

  override def enter(run: RunId): WriterLease = {
    val process = world.scheduler.current.process
    val lease   = (run.value, process)
    op(s"enter ${run.value}") {
      disk.leases.update(lease, disk.leases.getOrElse(lease, 0) + 1)
    }
    new WriterLease {
      private[this] var held = true

      override def close(): Unit = {
        if (held) disk.leases.updateWith(lease)(_.map(_ - 1).filter(_ > 0))
        held = false
      }
    }
  }

  override def othersGone(run: RunId): Boolean = op("look for other writers") {
    val gone = !disk.leases.keysIterator.exists { case (other, process) =>
      other != run.value && process.alive
    }
    world.note(if (gone) "all others are gone" else "others may write")
    gone
  }

  private def cutTo(inode: Inode, sizeBytes: Long): Unit = {
    if (inode.length < sizeBytes) throw Errors.partShort(inode.token, inode.length.toLong, sizeBytes)
    if (inode.length > sizeBytes) op(s"cut ${inode.token} to $sizeBytes") {
      disk.truncate(inode, sizeBytes.toInt)
      inode.durable = inode.length
    }
  }

  /** `false` when the unfinished name has gone meanwhile. */
  private def link(inode: Inode, name: String): Boolean = op(s"link ${inode.token} as $name") {
    disk.staged.contains(inode.token) && {
      disk.finished.get(name) match {
        case None                          => disk.link(inode, name)
        case Some(other) if other eq inode => ()
        case Some(_)                       => throw Errors.nameTaken(name, "another file is there")
      }
      true
    }
  }

  private def alreadyThere(sizeBytes: Long, name: String): CommitOutcome =
    op(s"look for $name")(disk.finished.get(name)) match {
      case None                                     => CommitOutcome.Lost
      case Some(inode) if inode.length == sizeBytes => CommitOutcome.AlreadyCommitted
      case Some(_)                                  => throw Errors.nameTaken(name, "it has another length")
    }

  private def copyRange(from: Inode, start: Int, end: Int, to: Output): Unit = if (end > start) {
    val bytes =
      op(s"read $start to $end of ${from.token}")(java.util.Arrays.copyOfRange(from.bytes, start, end))
    to.write(bytes, 0, bytes.length)
  }

  private def existing(token: String): Inode = disk.staged.getOrElse(token, throw missing(token))

  private def missing(token: String): RuntimeException =
    Errors.storeWrite(token, SimParts.Missing, new IOException(token))

  private def tokenOf(part: NewPart): String =
    s"open/${part.bucket}/${part.name}.${part.run.value.takeRight(3)}-${disk.unique()}"

  private final class Output(inode: Inode, start: Int) extends PartOutput {
    private[this] var at = start

    override def position: Long = at.toLong

    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = {
      op(s"write $length at $at of ${inode.token}")(disk.write(inode, at, bytes, offset, length))
      at += length
    }

    override def persist(): Resume = {
      sync()
      Resume(inode.token)
    }

    override def finish(): Closed = {
      sync()
      Closed(inode.token)
    }

    override def close(): Unit = ()

    private def sync(): Unit = {
      op(s"force ${inode.token}") {
        inode.durable = inode.length
      }
      if (start == 0) forced(Names.Open) // the name may be new, too
    }
  }
}

object SimParts {

  /** Of the kind that the world has. */
  def of(world: World, isForced: String => Boolean): PartStore = world.surroundings.store match {
    case StoreKind.Copying => new SimCopies(world)
    case _                 => new SimParts(world, isForced)
  }

  /** In the message of a failure that no storage made up: the file is not there. */
  val Missing: String = "no such file"
}
