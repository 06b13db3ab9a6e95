// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import java.io.IOException

import org.apache.hadoop.fs.Path

import stoplog.error.Errors
import stoplog.part.{Closed, Resume}
import stoplog.storage.PartOutput
import stoplog.storage.hadoop.HadoopFiles

/** The end of a file that this process alone may write. */
private[hdfs] final class HdfsOutput(path: Path, token: String, stream: HdfsStream) extends PartOutput {

  override def position: Long = stream.out.getPos

  override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = io(
    stream.out.write(bytes, offset, length)
  )

  override def persist(): Resume = {
    end()
    Resume(token)
  }

  override def finish(): Closed = {
    end()
    Closed(token)
  }

  override def close(): Unit =
    try stream.out.close()
    catch { case _: IOException => () } // fenced, or out of reach: nothing was promised

  /** The file is closed after each epoch, so that the next one can begin in any process. */
  private def end(): Unit = io(stream.end())

  private def io(action: => Unit): Unit =
    try action
    catch { case e: IOException => throw Errors.storeWrite(path.toString, HadoopFiles.reason(e), e) }
}
