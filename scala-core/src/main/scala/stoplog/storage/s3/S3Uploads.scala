// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.io.{ByteArrayInputStream, FileNotFoundException, IOException, InputStream}
import java.nio.ByteBuffer
import java.util.concurrent.{Callable, CompletableFuture, Executors, Future, Semaphore, TimeUnit}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.{BBPartHandle, BBUploadHandle, MultipartUploader, PartHandle, UploadHandle}

import stoplog.error.Errors
import stoplog.storage.s3.S3Token.{Handle, S3Room, Upload, UploadedPart}
import stoplog.thread.{Daemons, Uninterrupted}

/** Multipart uploads, by Hadoop's public interface. Handles are valid in any process. */
private[s3] final class S3Uploads(objects: S3Objects) extends Serializable {
  import S3Uploads.{InPlace, UploadThreads}

  def start(target: String): Handle = using(target) { uploader =>
    Handle.of(UploadThreads.await(uploader.startUpload(objects.path(target))).toByteArray)
  }

  /** Writes the marker of an upload, for the cleanup if the writer dies before a record names the upload. */
  def mark(token: S3Token): Unit = {
    val marker = token.copy(tail = S3Token.Tail.empty, stale = Vector.empty)
    objects.put(token.marker, S3TokenCodec.encode(marker).getBytes("UTF-8"))
  }

  /** @param content must support marks, or no request can be repeated */
  def put(target: String, upload: Handle, number: Int, content: InputStream, bytes: Int): UploadedPart =
    using(target) { uploader =>
      val handle = UploadThreads.await(
        uploader.putPart(handleOf(upload), number, false, objects.path(target), content, bytes.toLong)
      )
      UploadedPart(number, bytes.toLong, Handle.of(handle.toByteArray))
    }

  /** Whether the upload exists. Hadoop has no request for this check, so the method uploads one byte as the
    * next part, and the real part replaces this byte later. MUST NOT be called if no further part follows,
    * because servers refuse to complete an upload with additional parts.
    */
  def isThere(target: String, upload: Upload): Boolean =
    try {
      put(target, upload.handle, upload.room.from, new ByteArrayInputStream(InPlace), InPlace.length)
      true
    } catch { case _: FileNotFoundException => false }

  /** Whether the upload is known to be aborted or completed (P-145). False if the server gives no answer, or
    * if the upload has no part. Changes nothing, so any process may call the method at any time.
    *
    * Hadoop has no request for this check. So the method asks for a completion that the server must reject:
    * by a part number that the upload does not have. A server without the upload reports this first. One more
    * byte, as in [[isThere]], is no alternative: each number may be in use by a writer that is still alive.
    */
  def isGone(target: String, upload: Upload): Boolean =
    upload.parts.find(_.number < S3Room.LastNumber).exists { part =>
      try {
        complete(target, upload.copy(parts = Vector(part.copy(number = S3Room.LastNumber))))
        false
      } catch {
        case _: FileNotFoundException => true
        case _: IOException           => false
      }
    }

  /** Error: `FileNotFoundException` if the upload does not exist (any more). */
  def complete(target: String, upload: Upload): Unit = using(target) { uploader =>
    val parts = upload.parts.map { part =>
      val handle: PartHandle = BBPartHandle.from(ByteBuffer.wrap(part.handle.bytes))
      Integer.valueOf(part.number) -> handle
    }
    UploadThreads.await(uploader.complete(handleOf(upload.handle), objects.path(target), parts.toMap.asJava))
    ()
  }

  /** Aborts an upload. No effect on an upload that has been completed or aborted. */
  def abort(target: String, upload: Handle): Unit = using(target) { uploader =>
    try {
      UploadThreads.await(uploader.abort(handleOf(upload), objects.path(target)))
      ()
    } catch { case _: FileNotFoundException => () }
  }

  private def handleOf(upload: Handle): UploadHandle = BBUploadHandle.from(ByteBuffer.wrap(upload.bytes))

  /** Runs the action. Converts the SDK's runtime exceptions to `IOException`. */
  private def using[A](target: String)(action: MultipartUploader => A): A = {
    val uploader =
      try objects.uploader(target)
      catch {
        case e: UnsupportedOperationException => throw new IOException(e.getMessage, e)
      } // client-side encryption
    try action(uploader)
    catch {
      case e: IOException      => throw e
      case e: RuntimeException => throw new IOException(e)
    } finally uploader.close()
  }
}

private[s3] object S3Uploads {
  private val InPlace = Array[Byte]('?')

  /** The threads that upload parts to one storage while rows are encoded. Shared by all tasks of a process
    * that write to this storage. Sinks of other storages have separate threads, so a storage that hangs does
    * not block them.
    *
    * @param storage   for messages
    * @param mostMillis the longest wait for a thread
    */
  final class UploadThreads(storage: String, threads: Int, mostMillis: Long = UploadThreads.MostMillis) {
    private[this] val free = new Semaphore(threads)
    private[this] val pool = Executors.newCachedThreadPool(Daemons.named("stoplog-upload"))

    /** Waits for a free thread, and then starts the action. The wait limits the bytes in memory.
      *
      * Error: `STOPLOG_STORAGE_HANGS` if no thread is free in time.
      */
    def submit[A](action: Callable[A]): CompletableFuture[A] = {
      val result = new CompletableFuture[A]
      if (!Uninterrupted.within(mostMillis)(free.tryAcquire(_, TimeUnit.MILLISECONDS)))
        throw Errors.storageHangs(s"An upload to $storage", mostMillis)
      pool.execute { () =>
        try result.complete(action.call())
        catch { case e: Throwable => result.completeExceptionally(e) }
        finally free.release()
        ()
      }
      result
    }
  }

  object UploadThreads {
    private val pools = scala.collection.mutable.Map.empty[(String, Int), UploadThreads]

    /** Longer than the duration of an S3A request with all its default retries. */
    private final val MostMillis = 20 * 60 * 1000L

    /** Returns the threads of this process for this storage. */
    def of(storage: String, threads: Int): UploadThreads = synchronized(
      pools.getOrElseUpdate((storage, threads), new UploadThreads(storage, threads))
    )

    /** Waits for the result of the action. Error: the exception of the action. */
    def await[A](future: Future[A]): A = Uninterrupted.get(future).fold(throw _, identity)
  }
}
