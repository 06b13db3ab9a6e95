// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.io.{ByteArrayOutputStream, IOException}

import stoplog.error.Errors
import stoplog.fault.Step
import stoplog.part.{Closed, Publish, Resume, RunId}
import stoplog.sink.{CommitOutcome, Staged}
import stoplog.store._

/** Parts as objects that are never changed, in the requests that the store on S3 makes: a short one lies in the record,
  * a longer one in an object beside, a long one in an upload. Publishing makes another object of it.
  */
final class SimCopies(world: World) extends PartStore {
  import world.{disk, op}

  override def create(part: NewPart): PartOutput = new Output(
    Copied(nameOf(part), Copied.InRecord(Array.emptyByteArray), Vector.empty),
    Array.emptyByteArray
  )

  override def resume(open: Resume, validBytes: Long): PartOutput = {
    val copied = decoded(open)
    new Output(copied, content(copied, validBytes))
  }

  override def takeOver(open: Resume, validBytes: Long, part: NewPart): PartOutput = resume(open, validBytes)

  /** Nothing that a handle names can be changed by anybody. */
  override def isolate(open: Resume, validBytes: Long, part: NewPart): Closed = {
    val copied = decoded(open)
    content(copied, validBytes)
    Closed(open.token)
  }

  override def publish(part: Publish, sizeBytes: Long, finishedPath: String): CommitOutcome = {
    val copied  = decoded(part)
    val outcome = copied.bytes match {
      case Copied.InUpload(id) => complete(id, sizeBytes, finishedPath)
      case _                   => put(copied, sizeBytes, finishedPath, left = 3)
    }
    if (outcome == CommitOutcome.Committed) world.faults.at(Step.MidPublish)
    if (outcome != CommitOutcome.Lost)
      (copied.objects ++ copied.stale).foreach(path => op(s"delete $path") { disk.staged.remove(path); () })
    outcome
  }

  override def staged(): Vector[Staged] = op("list unfinished objects") {
    world
      .listed(disk.staged.valuesIterator ++ disk.uploads.valuesIterator)
      .map(inode => Staged(inode.token, inode.modifiedAtMillis + world.traits.storageClockSkewMillis))
      .toVector
  }

  override def stagedOf(token: String): Set[String] = disk.filesOf(token).toSet

  override def discard(token: String): Unit = stagedOf(token).foreach { file =>
    op(s"discard $file") {
      world.oracle.deleting(file)
      disk.staged.remove(file)
      disk.uploads.remove(file)
    }
  }

  /** No writer can be seen here, and none has to be. */
  override def enter(run: RunId): WriterLease = () => ()

  override def othersGone(run: RunId): Boolean = false

  @scala.annotation.tailrec
  private def put(copied: Copied, sizeBytes: Long, name: String, left: Int): CommitOutcome = {
    val read = copied.bytes match {
      case Copied.InRecord(content) => Some(content)
      case _ => op(s"read what is to become $name")(disk.part(copied.encode)).map(bytesOf)
    }
    read.map(_.take(sizeBytes.toInt)) match {
      case None          => there(name, sizeBytes).getOrElse(CommitOutcome.Lost)
      case Some(content) =>
        val isMade = world.once(s"put $name unless it is there")(!disk.finished.contains(name)) {
          disk.link(Inode.of(s"object $name ${disk.unique()}", content, world.clock.millis()), name)
        }
        if (isMade) CommitOutcome.Committed
        else
          op(s"read $name")(disk.finished.get(name)) match {
            case Some(found) if bytesOf(found).sameElements(content) => CommitOutcome.AlreadyCommitted
            case Some(_)          => throw Errors.nameTaken(name, "another object is there")
            case None if left > 1 => put(copied, sizeBytes, name, left - 1)
            case None             => throw Errors.storeWrite(name, "it comes and goes", new IOException(name))
          }
    }
  }

  /** Who completes it takes it: a second one finds that there is no such upload. */
  private def complete(id: String, sizeBytes: Long, name: String): CommitOutcome =
    there(name, sizeBytes).getOrElse {
      val taken = op(s"complete $id as $name") {
        val upload = disk.uploads.remove(id)
        upload.foreach { inode =>
          val content = bytesOf(inode).take(sizeBytes.toInt)
          disk.link(Inode.of(s"object $name ${disk.unique()}", content, world.clock.millis()), name)
        }
        upload
      }
      if (taken.isDefined) CommitOutcome.Committed else there(name, sizeBytes).getOrElse(CommitOutcome.Lost)
    }

  private def there(name: String, sizeBytes: Long): Option[CommitOutcome] =
    op(s"look for $name")(disk.finished.get(name)).map { inode =>
      if (inode.length == sizeBytes) CommitOutcome.AlreadyCommitted
      else throw Errors.nameTaken(name, "it has another length")
    }

  private def content(copied: Copied, validBytes: Long): Array[Byte] = {
    val inode = copied.bytes match {
      case Copied.InRecord(_) => disk.part(copied.encode)
      case _                  => op(s"read what there is of ${copied.target}")(disk.part(copied.encode))
    }
    val there = inode.getOrElse(
      throw Errors.storeWrite(copied.target, SimParts.Missing, new IOException(copied.target))
    )
    if (there.length < validBytes) throw Errors.partShort(copied.target, there.length.toLong, validBytes)
    bytesOf(there).take(validBytes.toInt)
  }

  private def bytesOf(inode: Inode): Array[Byte] = inode.bytes.take(inode.length)

  private def nameOf(part: NewPart): String =
    if (part.bucket.isEmpty) part.name else s"${part.bucket}/${part.name}"

  private def decoded(handle: Publish): Copied =
    Copied.decode(handle.token).getOrElse(throw new Violation(s"${handle.token} is no handle of this store"))

  /** Waits in memory; each epoch's end is an object of its own, or lies in the record. */
  private final class Output(from: Copied, before: Array[Byte]) extends PartOutput {
    private[this] val written = new ByteArrayOutputStream()
    written.write(before)

    override def position: Long = written.size.toLong

    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit =
      written.write(bytes, offset, length)

    override def persist(): Resume = Resume(stored(objectAtMost = Int.MaxValue))

    override def finish(): Closed = Closed(stored(SimCopies.InObjectAtMost))

    override def close(): Unit = ()

    private def stored(objectAtMost: Int): String = {
      val content = written.toByteArray
      val bytes   =
        if (content.length <= SimCopies.InRecordAtMost) Copied.InRecord(content)
        else if (content.length <= objectAtMost) inObject(content)
        else inUpload(content)
      Copied(from.target, bytes, from.stale ++ from.objects).encode
    }

    private def inObject(content: Array[Byte]): Copied.Bytes = {
      val path = s"open/${from.target}.tail-${disk.unique()}"
      op(s"put $path")(disk.put(path, content))
      Copied.InObject(path)
    }

    private def inUpload(content: Array[Byte]): Copied.Bytes = {
      val id = s"upload ${disk.unique()} of ${from.target}"
      op(s"begin $id")(disk.uploads.put(id, Inode.of(id, Array.emptyByteArray, world.clock.millis())))
      op(s"send all of $id") {
        if (disk.uploads.contains(id)) disk.uploads.update(id, Inode.of(id, content, world.clock.millis()))
      }
      Copied.InUpload(id)
    }
  }
}

private object SimCopies {

  /** Small, as all is small here. */
  val InRecordAtMost = 12
  val InObjectAtMost = 40
}
