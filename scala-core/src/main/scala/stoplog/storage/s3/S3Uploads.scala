// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.io.{ByteArrayInputStream, FileNotFoundException, IOException, InputStream}
import java.nio.ByteBuffer
import java.util.concurrent.{Callable, CompletableFuture, Executors, Future, Semaphore, TimeUnit}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.{BBPartHandle, BBUploadHandle, MultipartUploader, PartHandle, UploadHandle}

import stoplog.error.Errors
import stoplog.storage.s3.S3Token.{Handle, Upload, UploadedPart}
import stoplog.thread.{Daemons, Uninterrupted}

/** Multipart uploads, by Hadoop's public interface. Handles work in any process. */
private[s3] final class S3Uploads(objects: S3Objects) extends Serializable {
  import S3Uploads.{InPlace, UploadThreads}

  def start(target: String): Handle = using(target) { uploader =>
    Handle.of(UploadThreads.await(uploader.startUpload(objects.path(target))).toByteArray)
  }

  /** Says which upload there is, for the cleanup after a writer that dies before a record names it. */
  def mark(token: S3Token): Unit = {
    val marker = token.copy(tail = S3Token.Tail.empty, stale = Vector.empty)
    objects.put(token.marker, S3TokenCodec.encode(marker).getBytes("UTF-8"))
  }

  /** @param content with a mark, or no request for it can be repeated */
  def put(target: String, upload: Handle, number: Int, content: InputStream, bytes: Int): UploadedPart =
    using(target) { uploader =>
      val handle = UploadThreads.await(
        uploader.putPart(handleOf(upload), number, false, objects.path(target), content, bytes.toLong)
      )
      UploadedPart(number, bytes.toLong, Handle.of(handle.toByteArray))
    }

  /** Whether the upload is there, by a byte that takes the place of its next part until that one comes: Hadoop has no question
    * for it. So it must not be asked where no part is to come: servers refuse to complete an upload that has others.
    */
  def isThere(target: String, upload: Upload): Boolean =
    try {
      put(target, upload.handle, upload.room.from, new ByteArrayInputStream(InPlace), InPlace.length)
      true
    } catch { case _: FileNotFoundException => false }

  /** Error: `FileNotFoundException` when there is no such upload (any more). */
  def complete(target: String, upload: Upload): Unit = using(target) { uploader =>
    val parts = upload.parts.map { part =>
      val handle: PartHandle = BBPartHandle.from(ByteBuffer.wrap(part.handle.bytes))
      Integer.valueOf(part.number) -> handle
    }
    UploadThreads.await(uploader.complete(handleOf(upload.handle), objects.path(target), parts.toMap.asJava))
    ()
  }

  /** Harmless for an upload that has been completed or aborted. */
  def abort(target: String, upload: Handle): Unit = using(target) { uploader =>
    try {
      UploadThreads.await(uploader.abort(handleOf(upload), objects.path(target)))
      ()
    } catch { case _: FileNotFoundException => () }
  }

  private def handleOf(upload: Handle): UploadHandle = BBUploadHandle.from(ByteBuffer.wrap(upload.bytes))

  /** Runs the action; an exception of the SDK that is no `IOException` comes out as one. */
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

  /** The threads that bring parts to one storage while rows are encoded; shared by all tasks of a process that write to it.
    * Sinks of another storage have threads of their own, so a storage that hangs does not stop them.
    *
    * @param storage   for messages
    * @param mostMillis the longest wait for a thread
    */
  final class UploadThreads(storage: String, threads: Int, mostMillis: Long = UploadThreads.MostMillis) {
    private[this] val free = new Semaphore(threads)
    private[this] val pool = Executors.newCachedThreadPool(Daemons.named("stoplog-upload"))

    /** Starts the action as soon as a thread is free, and waits until then: that bounds the bytes in memory.
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

    /** S3A gives up a request sooner, with all that it tries again by default. */
    private final val MostMillis = 20 * 60 * 1000L

    /** The process's own for this storage. */
    def of(storage: String, threads: Int): UploadThreads = synchronized(
      pools.getOrElseUpdate((storage, threads), new UploadThreads(storage, threads))
    )

    /** The result of the action. Error: what it threw. */
    def await[A](future: Future[A]): A = Uninterrupted.get(future).fold(throw _, identity)
  }
}
