// SPDX-License-Identifier: Apache-2.0
package stoplog.thread

import java.io.{File, RandomAccessFile}
import java.util.concurrent.atomic.AtomicLong

/** The memory that buffers of one kind may take in one process together, however many parts are open in it.
  *
  * @param limitBytes beyond it, they wait on a local disk
  */
private[stoplog] final class SharedMemory(limitBytes: Long) {
  private val used = new AtomicLong()

  /** Whether the bytes may be taken; they are counted from then on. */
  def take(bytes: Long): Boolean = {
    val before = used.getAndUpdate(now => if (now + bytes > limitBytes) now else now + bytes)
    before + bytes <= limitBytes
  }

  def usedBytes: Long = used.get()

  def giveBack(bytes: Long): Unit = {
    used.addAndGet(-bytes)
    ()
  }
}

private[stoplog] object SharedMemory {

  /** Of the tails of uploads. An eighth of the heap: Spark plans with the rest, and knows nothing of this part. */
  lazy val ofTails: SharedMemory = eighth

  /** Of rows that wait for their block. */
  lazy val ofRows: SharedMemory = eighth

  private def eighth = new SharedMemory(Runtime.getRuntime.maxMemory / 8)

  /** A file of the local disk without a name: no crash leaves it behind. */
  object UnnamedFile {

    /** In `java.io.tmpdir`, unlinked as soon as it is open. Not a channel: an interrupt would close it. */
    def open(prefix: String): RandomAccessFile = {
      val file = File.createTempFile(prefix, ".bin")
      try new RandomAccessFile(file, "rw")
      finally {
        file.delete()
        ()
      }
    }
  }
}
