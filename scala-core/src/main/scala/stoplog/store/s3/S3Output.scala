package stoplog.store.s3

import java.io.IOException
import java.util.concurrent.CompletableFuture

import scala.util.control.NonFatal

import stoplog.error.Errors
import stoplog.part.{Closed, Resume}
import stoplog.store.PartOutput
import stoplog.store.hadoop.HadoopFiles
import stoplog.store.s3.S3Token.{Handle, Tail, Upload, UploadedPart}
import stoplog.thread.SharedMemory

/** The end of a part on S3: full parts go up in the background, the rest waits here for the next one.
  *
  * @param from    what the record says of the part
  * @param content the bytes behind its last full part
  */
private[s3] final class S3Output(
    objects: S3Objects,
    uploads: S3Uploads,
    settings: S3Settings,
    from: S3Token,
    content: Array[Byte],
    unique: () => String
) extends PartOutput {
  private[this] val threads = UploadThreads.of(settings.uploadThreads)

  private[this] val tail       = new TailBuffer(SharedMemory.ofTails)
  private[this] var changed    = false
  private[this] var closed     = false
  private[this] var upload     = from.upload.map(_.handle)
  private[this] var nextNumber = from.upload.fold(1)(_.nextNumber)
  private[this] var end        = from.uploadedBytes + content.length
  private[this] var underway   = Vector.empty[CompletableFuture[UploadedPart]]
  private[this] var marking    = Option.empty[CompletableFuture[Unit]]

  tail.append(content, 0, content.length)

  override def position: Long = end

  override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = io {
    var at   = offset
    var left = length
    while (left > 0) {
      val count = left.min(settings.partBytes - tail.size)
      tail.append(bytes, at, count)
      end += count
      at += count
      left -= count
      changed = true
      if (tail.size == settings.partBytes) ship()
    }
  }

  override def persist(): Resume = io {
    val parts = whole()
    val left  = persisted()
    release()
    Resume(S3TokenCodec.encode(token(parts, left)))
  }

  /** A small part waits as a tail, and publishing it is one PUT by the driver. A larger one becomes an upload, whose
    * publication moves no data.
    */
  override def finish(): Closed = io {
    if (upload.isDefined && tail.size > 0 || tail.size > settings.putAtOnceBytes) ship()
    val parts = whole()
    val left  = persisted()
    release()
    Closed(S3TokenCodec.encode(token(parts, left)))
  }

  /** Ends the upload if its marker could not be written: nobody else will ever know of it. No handle names it, since a
    * handle waits for the marker (I5).
    */
  override def close(): Unit = {
    if (!closed) marking.foreach(_.whenComplete((_, failure) => if (failure != null) upload.foreach(abandon)))
    release()
  }

  /** Sends what is here as the next part. Waits while too many are on their way already. */
  private def ship(): Unit = {
    val handle = upload.getOrElse(begin())
    val number = nextNumber
    if (number >= S3Uploads.TailNumber)
      throw new IOException(
        s"a part file has at most ${S3Uploads.TailNumber - 1} parts of ${settings.partBytes} bytes"
      )
    failIfOneHas()
    val bytes   = tail.size
    val content = tail.drain()
    underway = underway :+ threads.submit(() => uploads.put(from.target, handle, number, content, bytes))
    nextNumber += 1
  }

  private def begin(): Handle = {
    val handle = uploads.start(from.target)
    val marker =
      from.copy(upload = Some(Upload(handle, Vector.empty)), tail = Tail.empty, stale = Vector.empty)
    marking = Some(threads.submit { () =>
      objects.put(from.marker, S3TokenCodec.encode(marker).getBytes("UTF-8"))
    })
    upload = Some(handle)
    handle
  }

  private def abandon(handle: Handle): Unit =
    try uploads.abort(from.target, handle)
    catch { case NonFatal(_) => () } // a lifecycle rule will

  private def failIfOneHas(): Unit =
    underway.filter(_.isCompletedExceptionally).foreach(future => UploadThreads.await(future))

  /** All parts, once they are there. */
  private def whole(): Option[Upload] = {
    marking.foreach(future => UploadThreads.await(future))
    val parts = underway.map(future => UploadThreads.await(future))
    upload.map(handle => Upload(handle, from.upload.fold(Vector.empty[UploadedPart])(_.parts) ++ parts))
  }

  private def persisted(): Tail =
    if (tail.size <= settings.tailInRecordBytes) Tail.InRecord(Handle.of(tail.content()))
    else if (!changed && from.tail.path.isDefined) from.tail.first(tail.size.toLong)
    else {
      val path = s"${from.base}.tail-${unique()}"
      objects.put(path, tail.content())
      Tail.InObject(path, tail.size.toLong)
    }

  private def token(parts: Option[Upload], left: Tail): S3Token = {
    val stale = (from.stale ++ from.tail.path).filterNot(left.path.contains)
    from.copy(upload = parts, tail = left, stale = stale)
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
    catch { case e: IOException => throw Errors.storeWrite(path, HadoopFiles.reason(e), e) }
  }
}
