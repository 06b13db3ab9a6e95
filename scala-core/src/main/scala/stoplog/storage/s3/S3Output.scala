// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.io.{FileNotFoundException, IOException}
import java.util.concurrent.CompletableFuture

import scala.util.control.NonFatal

import stoplog.error.Errors
import stoplog.part.{Closed, RecordBytes, Resume}
import stoplog.storage.{PartLayout, PartOutput}
import stoplog.storage.hadoop.HadoopFiles
import stoplog.storage.s3.S3Token.S3Room.{Publisher, Writer}
import stoplog.storage.s3.S3Token.{Handle, Piece, S3Room, Tail, Upload, UploadedPart}
import stoplog.thread.SharedMemory

/** The output to a part on S3. Uploads full parts of the upload in the background, and buffers the remaining
  * bytes for the next part. If this writer may not add parts to the upload ([[S3Room]]), it writes objects
  * instead.
  *
  * @param from    the state of the part in the record
  * @param content the bytes after its last full part
  */
private[s3] final class S3Output(
    objects: S3Objects,
    uploads: S3Uploads,
    tails: S3Tails,
    settings: S3Settings,
    from: S3Token,
    content: Array[Byte]
) extends PartOutput {
  private[this] val threads = S3Uploads.UploadThreads.of(objects.storage, settings.uploadThreads)

  private[this] val tail     = new TailBuffer(SharedMemory.ofTails)
  private[this] var changed  = false
  private[this] var closed   = false
  private[this] var upload   = from.upload.map(_.handle)
  private[this] var end      = from.fullBytes + content.length
  private[this] var underway = Vector.empty[CompletableFuture[UploadedPart]]
  private[this] var waiting  = Vector.empty[CompletableFuture[Piece]]
  private[this] var marking  = Option.empty[CompletableFuture[Unit]]

  // The size of all parts of the upload except the last: some servers require equal sizes.
  private[this] var partBytes = from.partBytes

  tail.append(content, 0, content.length)

  override def position: Long = end

  /** The size at which the part numbers of the upload run out. Reserves the numbers that the next run or
    * attempt skips, and the same count again for rows that wait for their block and are not written yet.
    */
  override def mostBytes: Long = {
    val free = S3Room.LastNumber - room.from - from.waiting.size - waiting.size - 2 * S3Room.Allotted
    end - tail.size + free.max(0).toLong * fullSize
  }

  override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = io {
    add(bytes, offset, length)
    end += length
    changed = changed || length > 0
  }

  override def persist(inRecordBytes: Int): Resume = io {
    if (partBytes.isEmpty && tail.size >= settings.partBytes) takeSmallParts()
    val parts = whole()
    val left  = persisted(inRecordBytes)
    release()
    Resume(S3TokenCodec.encode(token(parts, left)))
  }

  /** Uploads the remaining bytes as the last part of an upload, even if there is no other part: an upload can
    * be completed only once (decision 0025).
    */
  override def finish(): Closed = io {
    if (tail.size > 0 && freeNumber.isDefined) ship()
    val parts = whole()
    val left  = persisted(inRecordBytes = 0)
    release()
    Closed(S3TokenCodec.encode(token(parts, left)))
  }

  /** Aborts the upload if its marker could not be written, because no other process can find the upload. No
    * handle names the upload, since a handle waits for the marker (I5).
    */
  override def close(): Unit = {
    if (!closed) marking.foreach(_.whenComplete((_, failure) => if (failure != null) upload.foreach(abandon)))
    release()
  }

  private def add(bytes: Array[Byte], offset: Int, length: Int): Unit = {
    var at   = offset
    var left = length
    while (left > 0) {
      val count = left.min(fullSize - tail.size)
      tail.append(bytes, at, count)
      at += count
      left -= count
      if (tail.size == fullSize) {
        partBytes = Some(fullSize)
        ship()
      }
    }
  }

  /** Returns the size of a full part. If an output fills a large part within its first epoch, the upload uses
    * large parts, which need fewer requests. For other outputs, large parts would only make the tails longer.
    * The decision is postponed until a small part is full and, while memory is available, until a large part
    * is full.
    */
  private def fullSize: Int = partBytes.getOrElse {
    if (tail.size < settings.partBytes || tail.size == settings.partBytes && tail.isOnDisk) settings.partBytes
    else settings.largePartBytes
  }

  /** Splits the buffer into small parts, because the epoch ends before a large part is full. */
  private def takeSmallParts(): Unit = {
    val all = tail.content()
    tail.clear()
    partBytes = Some(settings.partBytes)
    add(all, 0, all.length)
  }

  /** Uploads the buffered bytes as the next part. Waits if too many uploads are running. */
  private def ship(): Unit = {
    val handle = upload.getOrElse(begin())
    failIfOneHas()
    val number = freeNumber
    if (number.isEmpty) failIfTooLong()
    val bytes   = tail.size
    val content = tail.drain()
    number match {
      case Some(number) =>
        underway = underway :+ threads.submit(() => uploads.put(from.target, handle, number, content, bytes))
      case None =>
        val path = from.base + S3Token.PieceInfix + PartLayout.unique()
        waiting = waiting :+ threads.submit { () =>
          objects.put(path) { out =>
            content.transferTo(out)
            ()
          }
          Piece(path, bytes.toLong)
        }
    }
  }

  /** Returns the part number for the next part; `None` if the part has to wait. After the first waiting part,
    * all later parts wait.
    */
  private def freeNumber: Option[Int] = from.upload.map(_.room) match {
    case _ if from.waiting.nonEmpty || waiting.nonEmpty => None
    case None                                           =>
      Some(1 + underway.size).filter(_ < S3Room.LastNumber) // in no record, so no other writer uses it
    case Some(room: Writer) => Some(room.from + underway.size).filter(_ <= room.until)
    case Some(Publisher(_)) => None
  }

  private def failIfTooLong(): Unit = {
    val ofTail = room.from + from.waiting.size + waiting.size + 1
    if (ofTail > S3Room.LastNumber)
      throw new IOException(
        s"an object has at most ${S3Room.LastNumber} parts, and the parts of this object have " +
          s"$fullSize bytes each; set maxPartSize, or compaction, to less than " +
          s"${S3Room.LastNumber / 2L * fullSize} bytes"
      )
  }

  /** Returns the room for the writer that continues after this output. */
  private def room: S3Room = from.upload.map(_.room) match {
    case Some(Publisher(number))                             => Publisher(number)
    case before if from.waiting.nonEmpty || waiting.nonEmpty => Publisher(nextNumber(before))
    case before                                              => Writer(nextNumber(before))
  }

  private def nextNumber(before: Option[S3Room]): Int = before.fold(1)(_.from) + underway.size

  private def begin(): Handle = {
    val handle = uploads.start(from.target)
    val begun  = from.copy(upload = Some(Upload(handle, Vector.empty, Writer(1))))
    marking = Some(threads.submit(() => uploads.mark(begun)))
    upload = Some(handle)
    handle
  }

  private def abandon(handle: Handle): Unit =
    try uploads.abort(from.target, handle)
    catch { case NonFatal(_) => () } // a lifecycle rule aborts it later

  private def failIfOneHas(): Unit =
    (underway ++ waiting)
      .filter(_.isCompletedExceptionally)
      .foreach(future => S3Uploads.UploadThreads.await(future))

  /** Waits for all parts and returns the upload. */
  private def whole(): Option[Upload] = {
    marking.foreach(future => S3Uploads.UploadThreads.await(future))
    val parts = underway.map(future => S3Uploads.UploadThreads.await(future))
    upload.map(handle => Upload(handle, from.upload.fold(Vector.empty[UploadedPart])(_.parts) ++ parts, room))
  }

  /** Keeps the object of the record while few bytes follow this object. The object contains the first bytes
    * of the tail, unless an uploaded part already contains these bytes.
    */
  private def persisted(inRecordBytes: Int): Tail = {
    val piece  = from.tail.piece.filter(_ => underway.isEmpty && waiting.isEmpty)
    val behind = tail.size - piece.fold(0L)(_.bytes).toInt
    val room   = if (piece.isEmpty) inRecordBytes.max(settings.tailInRecordBytes) else inRecordBytes
    if (behind <= room)
      Tail(piece, RecordBytes.of(tail.content(tail.size - behind)))
    else if (!changed && piece.isDefined) from.tail
    else tails.write(from.base, tail.content(), from.tail)
  }

  private def token(parts: Option[Upload], left: Tail): S3Token = {
    val stale  = (from.stale ++ from.tail.path).filterNot(left.path.contains)
    val pieces = from.waiting ++ waiting.map(future => S3Uploads.UploadThreads.await(future))
    from.copy(upload = parts, waiting = pieces, tail = left, stale = stale)
  }

  private def release(): Unit = {
    closed = true
    tail.clear()
  }

  private def io[A](action: => A): A = {
    val path = objects.describe(from.target)
    try
      if (closed) throw new IOException("the part has been closed")
      else action
    catch {
      case _: FileNotFoundException if from.upload.isDefined =>
        throw Errors.uploadLost(path, from.uploadedBytes)
      case e: IOException => throw Errors.storeWrite(path, HadoopFiles.reason(e), e)
    }
  }
}
