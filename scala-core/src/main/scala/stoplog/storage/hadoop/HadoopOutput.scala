// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import java.io.IOException

import org.apache.hadoop.fs.{FSDataOutputStream, Path}

import stoplog.error.Errors
import stoplog.part.{Closed, Resume}
import stoplog.storage.PartOutput

/** The end of a file that nothing keeps others from: so its length is looked at when it is closed. */
private[hadoop] final class HadoopOutput(
    files: HadoopFiles,
    path: Path,
    token: String,
    out: FSDataOutputStream,
    startBytes: Long
) extends PartOutput {
  private[this] var written = startBytes // a stream that appends may count from 0
  private[this] var closed  = false

  override def position: Long = written

  override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = {
    files.writing(path) {
      if (closed) throw new IOException("it is closed")
      out.write(bytes, offset, length)
    }
    written += length
  }

  override def persist(): Resume = {
    end()
    Resume(token)
  }

  override def finish(): Closed = {
    end()
    Closed(token)
  }

  override def close(): Unit = {
    closed = true
    try out.close()
    catch { case _: IOException => () } // nothing was promised
  }

  private def end(): Unit = files.writing(path) {
    closed = true
    try flush()
    finally out.close()
    val actual = files.fileSystem.getFileStatus(path).getLen
    if (actual < written) throw Errors.partShort(path.toString, actual, written)
    if (actual > written)
      throw new IOException(s"somebody else wrote to it: it has $actual bytes, not $written")
  }

  private def flush(): Unit =
    try files.flush(out)
    catch {
      case _: UnsupportedOperationException => ()
    } // bytes are durable at the close, as everywhere there
}
