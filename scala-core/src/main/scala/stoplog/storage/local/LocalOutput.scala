// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.io.{IOException, RandomAccessFile}
import java.nio.file.Path

import stoplog.part.{Closed, Resume}
import stoplog.storage.PartOutput

/** The end of a local file. Not an interruptible channel: a task that is cancelled must not tear what it writes.
  *
  * @param closed what closing for good does to the file, once its bytes are durable
  */
private[local] final class LocalOutput(
    path: Path,
    token: String,
    file: RandomAccessFile,
    durability: LocalForcing,
    startBytes: Long,
    closed: () => Unit
) extends PartOutput {
  private[this] var written = startBytes
  private[this] val early   = durability.early(file)

  override def position: Long = written

  override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = {
    io {
      file.write(bytes, offset, length)
      early.foreach(_.wrote(length))
    }
    written += length
  }

  override def persist(): Resume = {
    end()
    Resume(token)
  }

  override def finish(): Closed = {
    end()
    io(closed())
    Closed(token)
  }

  override def close(): Unit =
    try file.close()
    catch { case _: IOException => () }

  private def end(): Unit =
    try
      io {
        early.foreach(_.await())
        durability.sync(file)
        if (startBytes == 0) durability.syncDirectory(path.getParent) // the name may be new, too
      }
    finally close()

  private def io(action: => Unit): Unit = LocalFiles.writing(path)(action)
}
