// SPDX-License-Identifier: Apache-2.0
package stoplog.thread

import java.io.{File, RandomAccessFile}
import java.util.concurrent.atomic.AtomicLong

/** The memory limit for all buffers of a kind in a process, regardless of the number of open parts.
  *
  * @param limitBytes the limit, in bytes; beyond the limit, buffers spill to a local disk
  */
private[stoplog] final class SharedMemory(limitBytes: Long) {
  private val used = new AtomicLong()

  /** Reserves the bytes if the limit permits. Returns whether the bytes were reserved. */
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

  /** The memory for the tails of uploads: an eighth of the heap. Spark assumes that the rest of the heap is
    * available, and does not account for this memory.
    */
  lazy val ofTails: SharedMemory = eighth

  /** The memory for rows that wait for their block. */
  lazy val ofRows: SharedMemory = eighth

  private def eighth = new SharedMemory(Runtime.getRuntime.maxMemory / 8)

  /** An unnamed file on the local disk, so that a crash leaves no file. */
  object UnnamedFile {

    /** Creates the file in `java.io.tmpdir` and unlinks the file immediately. The result is not a channel,
      * because an interrupt would close a channel.
      */
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
