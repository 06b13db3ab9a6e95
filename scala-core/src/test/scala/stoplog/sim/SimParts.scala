// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.io.IOException

import stoplog.error.Errors
import stoplog.fault.Step
import stoplog.part.{Closed, Open, Publish, Resume, RunId}
import stoplog.sink.{CommitOutcome, Staged}
import stoplog.storage._

/** Parts on the simulated disk, in the same small steps as the stores on disks take them. A file gets its final name and
  * loses the other one in the same step.
  */
final class SimParts(world: World, isForced: String => Boolean, sinkId: String) extends PartStore {
  import world.op

  private def disk = world.place.disk

  override def create(part: NewPart): PartOutput = {
    val token = tokenOf(part)
    new Output(world.own(s"create $token")(disk.create(token, process)), start = 0, isNew = true)
  }

  override def resume(open: Resume, validBytes: Long): PartOutput =
    if (isDoubled(open.token) || hasJunk(open.token, validBytes))
      copied(open, validBytes, s"${open.token}-${world.unique()}")
    else {
      val inode = op(s"open $open in place")(existing(open.token))
      op(s"cut ${open.token} to $validBytes") {
        if (inode.length < validBytes) throw Errors.partShort(open.token, inode.length.toLong, validBytes)
        disk.truncate(inode, validBytes.toInt)
      }
      world.opened()
      new Output(inode, validBytes.toInt, isNew = false)
    }

  override def takeOver(open: Resume, validBytes: Long, part: NewPart): PartOutput =
    copied(open, validBytes, tokenOf(part))

  private def copied(open: Resume, validBytes: Long, token: String): PartOutput = {
    val from  = op(s"look for ${open.token} to copy it")(existing(open.token))
    val made  = world.own(s"create $token to take over")(disk.create(token, process))
    val copy  = new Output(made, start = 0, isNew = true)
    val there = world.saw(from.length)
    if (there < validBytes) throw Errors.partShort(open.token, there.toLong, validBytes)
    val half = validBytes.toInt / 2
    copyRange(from, 0, half, copy)
    copyRange(from, half, validBytes.toInt, copy)
    copy
  }

  override def isolate(open: Resume, validBytes: Long, part: NewPart): Closed =
    copied(open, validBytes, tokenOf(part)).finish()

  /** On local disks a rename would replace what it finds, so a look comes first; on HDFS it refuses to. */
  @scala.annotation.tailrec
  override def publish(part: Publish, sizeBytes: Long, finishedPath: String): CommitOutcome =
    op(s"look for ${part.token} to rename it")(disk.staged.get(part.token)) match {
      case None        => alreadyThere(sizeBytes, finishedPath)
      case Some(inode) =>
        cutTo(inode, sizeBytes, finishedPath)
        if (isFree(inode, finishedPath) && rename(inode, finishedPath)) {
          world.faults.at(Step.MidPublish)
          forced(Names.directoryOf(finishedPath))
          CommitOutcome.Committed
        } else publish(part, sizeBytes, finishedPath) // another publisher was faster
    }

  private def isFree(inode: Inode, name: String): Boolean = world.surroundings.store match {
    case StoreKind.Replacing =>
      op(s"look whether $name is free") {
        val isTaken = disk.finished.contains(name)
        if (isTaken && isThere(inode)) throw Errors.nameTaken(name, "another file is there")
        !isTaken
      }
    case _ => true
  }

  /** `false` when the unfinished name has gone meanwhile. */
  private def rename(inode: Inode, name: String): Boolean = op(s"rename ${inode.token} to $name") {
    val mine = isThere(inode)
    if (mine && disk.finished.contains(name) && world.surroundings.store == StoreKind.Renaming)
      throw Errors.nameTaken(name, "another file is there")
    if (mine) disk.rename(inode, name)
    mine
  }

  private def isThere(inode: Inode): Boolean = disk.staged.get(inode.token).exists(_ eq inode)

  /** A step of its own only where it makes a difference. */
  private def forced(directory: String): Unit = world.surroundings.power match {
    case PowerTakes.Names =>
      if (isForced(directory)) op(s"force the names in '$directory'")(disk.names.force(directory))
    case PowerTakes.Bytes => ()
  }

  override def isStaged(token: String): Boolean = op(s"look for $token")(disk.staged.contains(token))

  /** No step of its own: it is one with the record that follows. */
  override def refuseLost(tokens: Seq[String]): Unit =
    if (world.hasOtherPlaces)
      tokens.find(!disk.staged.contains(_)).foreach { token =>
        throw Errors.pathNotShared("sink", token, "a task", "the driver")
      }

  override def staged(): Vector[Staged] = op("list unfinished files") {
    world
      .unfinished(disk.staged.valuesIterator.filter(inode => Disk.sinkOf(inode.token) == sinkId))
      .map(inode => Staged(inode.token, inode.modifiedAtMillis + world.traits.storageClockSkewMillis))
      .toVector
  }

  override def discard(token: String): Unit = op(s"discard $token") {
    disk.oracle(token).deleting(token)
    disk.unlink(token)
  }

  override def enter(run: RunId): AutoCloseable = {
    val process = world.scheduler.current.process
    val lease   = (s"$sinkId/${run.value}", process)
    op(s"enter ${run.value}") {
      disk.leases.update(lease, disk.leases.getOrElse(lease, 0) + 1)
    }
    new AutoCloseable {
      private[this] var held = true

      override def close(): Unit = {
        if (held) disk.leases.updateWith(lease)(_.map(_ - 1).filter(_ > 0))
        held = false
      }
    }
  }

  override def othersGone(run: RunId): Boolean = op("look for other writers") {
    val gone = !disk.leases.keysIterator.exists { case (other, process) =>
      Disk.sinkOf(other) == sinkId && other != s"$sinkId/${run.value}" && process.alive
    }
    world.note(if (gone) "all others are gone" else "others may write")
    gone
  }

  /** A file that has another name may be part of another sink, too. */
  override def fence(run: RunId, open: Vector[Open]): Vector[FenceOutcome] =
    super.fence(run, open).zip(open).map {
      case (FenceOutcome.Owned, part) if isDoubled(part.handle.token)                => FenceOutcome.Doubtful
      case (FenceOutcome.Owned, part) if hasJunk(part.handle.token, part.validBytes) => FenceOutcome.Doubtful
      case (outcome, _)                                                              => outcome
    }

  /** A step only where somebody makes such names. */
  private def isDoubled(token: String): Boolean =
    world.surroundings.copiers == Copiers.Linking && op(s"count the names of $token")(disk.isShared(token))

  /** A step only where nothing is cut. */
  private def hasJunk(token: String, validBytes: Long): Boolean =
    isUncut && op(s"look how long $token is")(disk.staged.get(token).exists(_.length > validBytes))

  private def isUncut: Boolean = world.surroundings.cutting == Cutting.ByCompanion

  private def cutTo(inode: Inode, sizeBytes: Long, name: String): Unit = {
    if (inode.length < sizeBytes) throw Errors.partShort(inode.token, inode.length.toLong, sizeBytes)
    if (inode.length > sizeBytes && isDoubled(inode.token))
      throw Errors.partShared(inode.token, inode.length.toLong, sizeBytes)
    if (inode.length > sizeBytes && isUncut) op(s"note that $sizeBytes bytes of $name count") {
      disk.lengths.update(name, sizeBytes.toInt)
      inode.valid = Some(sizeBytes.toInt)
      inode.durable = inode.length
    }
    else if (inode.length > sizeBytes) op(s"cut ${inode.token} to $sizeBytes") {
      disk.truncate(inode, sizeBytes.toInt)
      inode.durable = inode.length
    }
  }

  private def alreadyThere(sizeBytes: Long, name: String): CommitOutcome =
    op(s"look for $name")(disk.finished.get(name)) match {
      case None                                                            => CommitOutcome.Lost
      case Some(inode) if inode.valid.getOrElse(inode.length) == sizeBytes =>
        forced(Names.directoryOf(name))
        CommitOutcome.AlreadyCommitted
      case Some(_) => throw Errors.nameTaken(name, "it has another length")
    }

  private def copyRange(from: Inode, start: Int, end: Int, to: Output): Unit = if (end > start) {
    val bytes =
      op(s"read $start to $end of ${from.token}")(java.util.Arrays.copyOfRange(from.bytes, start, end))
    to.write(bytes, 0, bytes.length)
  }

  /** A finished part is as good, whose beginning is to be one of its own. */
  private def existing(token: String): Inode =
    disk.staged.get(token).orElse(disk.finished.get(token)).getOrElse(throw missing(token))

  private def missing(token: String): RuntimeException =
    Errors.storeWrite(token, SimParts.Missing, new IOException(token))

  private def process: SimProcess = world.scheduler.current.process

  private def tokenOf(part: NewPart): String =
    s"$sinkId/open/${part.bucket}/${part.name}.${part.run.value.takeRight(3)}-${world.unique()}"

  /** @param isNew whether no record names the file */
  private final class Output(inode: Inode, start: Int, isNew: Boolean) extends PartOutput {
    private[this] val disk = SimParts.this.disk // it stays open, wherever the path leads
    private[this] var at   = start

    private def step[A](what: => String)(effect: => A): A =
      if (isNew) world.own(what)(effect) else op(what)(effect)

    override def position: Long = at.toLong

    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = {
      step(s"write $length at $at of ${inode.token}")(disk.write(inode, at, bytes, offset, length))
      at += length
    }

    override def persist(inRecordBytes: Int): Resume = {
      sync()
      Resume(inode.token)
    }

    override def finish(): Closed = {
      sync()
      Closed(inode.token)
    }

    override def close(): Unit = ()

    private def sync(): Unit = {
      step(s"force ${inode.token}") {
        inode.durable = inode.length
      }
      if (start == 0) forced(Names.Open) // the name may be new, too
    }
  }
}

object SimParts {

  /** Of the kind that the world has. */
  def of(world: World, isForced: String => Boolean, sinkId: String): PartStore =
    world.surroundings.store match {
      case StoreKind.Copying => new SimCopies(world, sinkId)
      case _                 => new SimParts(world, isForced, sinkId)
    }

  /** In the message of a failure that no storage made up: the file is not there. */
  val Missing: String = "no such file"
}
