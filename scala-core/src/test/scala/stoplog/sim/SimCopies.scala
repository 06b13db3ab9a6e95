// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.io.{ByteArrayOutputStream, IOException}

import stoplog.error.Errors
import stoplog.fault.Step
import stoplog.part.{Closed, Publish, Resume, RunId}
import stoplog.sink.{CommitOutcome, Staged}
import stoplog.storage._

/** Parts as objects that are never changed, in the requests that the store on S3 makes: the bytes of an open one lie in the
  * record, or in an object beside, and those of later epochs behind it in the record. Publishing is completing an upload, which
  * was begun before the record (decision 0025).
  */
final class SimCopies(world: World, sinkId: String) extends PartStore {
  import world.{disk, op}

  override def create(part: NewPart): PartOutput = new Output(
    Copied(nameOf(part), Copied.InRecord(Array.emptyByteArray), Vector.empty),
    Array.emptyByteArray
  )

  override def resume(open: Resume, validBytes: Long): PartOutput = {
    val copied = decoded(open)
    new Output(copied.first(validBytes.toInt), content(copied, validBytes))
  }

  override def takeOver(open: Resume, validBytes: Long, part: NewPart): PartOutput = resume(open, validBytes)

  /** Nothing that a handle names can be changed by anybody. */
  override def isolate(open: Resume, validBytes: Long, part: NewPart): Closed = {
    val copied = decoded(open)
    content(copied, validBytes)
    uploading(copied, validBytes)
  }

  override def closed(open: Resume, validBytes: Long): Publish = uploading(decoded(open), validBytes)

  /** With an upload to which nothing was added. */
  private def uploading(copied: Copied, validBytes: Long): Closed =
    if (validBytes == 0 || copied.upload.isDefined) Closed(copied.encode)
    else Closed(copied.copy(begun = Some(begin(copied.target))).encode)

  private def begin(target: String): String = {
    val id = s"$sinkId/upload ${world.unique()} of $target"
    world.own(s"begin $id")(disk.upload(id, Array.emptyByteArray, process))
    id
  }

  override def publish(part: Publish, sizeBytes: Long, finishedPath: String): CommitOutcome = {
    val copied  = decoded(part)
    val upload  = copied.upload.getOrElse(throw new Violation(s"no upload was begun for $finishedPath"))
    val outcome = complete(copied, upload, sizeBytes, finishedPath)
    if (outcome == CommitOutcome.Committed) world.faults.at(Step.MidPublish)
    if (outcome != CommitOutcome.Lost)
      (copied.objects.filterNot(_ == upload) ++ copied.stale).foreach(path =>
        op(s"delete $path") { disk.staged.remove(path); () }
      )
    outcome
  }

  override def isStaged(token: String): Boolean =
    op(s"look for $token")(
      stagedOf(token).exists(file => disk.staged.contains(file) || disk.uploads.contains(file))
    )

  override def staged(): Vector[Staged] = op("list unfinished objects") {
    world
      .unfinished(
        (disk.staged.valuesIterator ++ disk.uploads.valuesIterator)
          .filter(inode => Disk.sinkOf(inode.token) == sinkId)
      )
      .map(inode => Staged(inode.token, inode.modifiedAtMillis + world.traits.storageClockSkewMillis))
      .toVector
  }

  override def stagedOf(token: String): Set[String] = disk.filesOf(token).toSet

  override def discard(token: String): Unit = stagedOf(token).foreach { file =>
    op(s"discard $file") {
      disk.oracle(file).deleting(file)
      disk.staged.remove(file)
      disk.uploads.remove(file)
    }
  }

  /** No writer can be seen here, and none has to be. */
  override def enter(run: RunId): AutoCloseable = () => ()

  override def toleratesLateWriters: Boolean = true

  override def othersGone(run: RunId): Boolean = false

  /** Who completes it takes it: a second one finds that there is no such upload, and nobody brings the object back. */
  private def complete(copied: Copied, id: String, sizeBytes: Long, name: String): CommitOutcome =
    there(name, sizeBytes) match {
      case Some(outcome) =>
        op(s"abort $id, whose object is there")(disk.uploads.remove(id))
        outcome
      case None =>
        val isMade = sent(copied, id).exists { content =>
          world.once(s"complete $id as $name")(disk.uploads.contains(id)) {
            disk.uploads.remove(id)
            disk.show(
              Inode.of(
                s"$sinkId/object $name ${world.unique()}",
                content.take(sizeBytes.toInt),
                world.clock.millis()
              ),
              name
            )
          }
        }
        if (isMade) CommitOutcome.Committed else there(name, sizeBytes).getOrElse(CommitOutcome.Lost)
    }

  /** All that the upload is to hold; `None` when any of it has gone. */
  private def sent(copied: Copied, id: String): Option[Array[Byte]] = copied.bytes match {
    case Copied.InUpload(_) => disk.uploads.get(id).map(bytesOf)
    case _                  =>
      val content = copied.bytes match {
        case Copied.InRecord(content) => Some(content)
        case _ => op(s"read what is to become ${copied.target}")(disk.part(copied.encode)).map(bytesOf)
      }
      content.filter(_ => op(s"send the rest of $id")(disk.uploads.contains(id)))
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

  private def process: SimProcess = world.scheduler.current.process

  private def bytesOf(inode: Inode): Array[Byte] = inode.bytes.take(inode.length)

  private def nameOf(part: NewPart): String =
    if (part.bucket.isEmpty) part.name else s"${part.bucket}/${part.name}"

  private def decoded(handle: Publish): Copied =
    Copied.decode(handle.token).getOrElse(throw new Violation(s"${handle.token} is no handle of this store"))

  /** Waits in memory; each epoch's end is an object of its own, or lies in the record, behind the last one. */
  private final class Output(from: Copied, before: Array[Byte]) extends PartOutput {
    private[this] val written = new ByteArrayOutputStream()
    written.write(before)

    override def position: Long = written.size.toLong

    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit =
      written.write(bytes, offset, length)

    override def persist(inRecordBytes: Int): Resume = Resume(
      handle(waiting(written.toByteArray, inRecordBytes.min(SimCopies.BehindObjectAtMost)))
    )

    /** What is left goes up, also if it is all there is. */
    override def finish(): Closed = {
      val content = written.toByteArray
      Closed(handle(if (content.isEmpty) Copied.InRecord(content) else inUpload(content)))
    }

    override def close(): Unit = ()

    private def handle(bytes: Copied.Bytes): String = {
      val next = Copied(from.target, bytes, Vector.empty)
      next.copy(stale = (from.stale ++ from.objects).filterNot(next.objects.contains)).encode
    }

    private def waiting(content: Array[Byte], behindObject: Int): Copied.Bytes = from.bytes match {
      case Copied.InObject(path, length, _)
          if length <= content.length && content.length - length <= behindObject =>
        Copied.InObject(path, length, content.drop(length))
      case _ if content.length <= SimCopies.InRecordAtMost => Copied.InRecord(content)
      case _                                               =>
        val path = s"$sinkId/open/${from.target}.tail-${world.unique()}"
        world.own(s"put $path")(disk.put(path, content, process))
        Copied.InObject(path, content.length, Array.emptyByteArray)
    }

    private def inUpload(content: Array[Byte]): Copied.Bytes = {
      val id = begin(from.target)
      world.own(s"send all of $id")(if (disk.uploads.contains(id)) disk.upload(id, content, process))
      Copied.InUpload(id)
    }
  }
}

private object SimCopies {

  /** Small, as all is small here. */
  val InRecordAtMost = 12

  /** A row or two. */
  val BehindObjectAtMost = 24
}
