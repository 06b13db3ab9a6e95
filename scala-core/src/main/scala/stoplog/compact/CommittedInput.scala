// SPDX-License-Identifier: Apache-2.0
package stoplog.compact

import java.io.{EOFException, IOException}

import org.apache.hadoop.fs.{FSDataInputStream, FSInputStream}

/** The committed bytes at the start of a file.
  *
  * @param atEnd returns the result of a read after these bytes, or throws
  */
private[compact] final class CommittedInput(in: FSDataInputStream, committedBytes: Long, atEnd: () => Int)
    extends FSInputStream {

  override def read(): Int = if (getPos < committedBytes) wanted(in.read()) else atEnd()

  override def read(bytes: Array[Byte], offset: Int, count: Int): Int = {
    val left = committedBytes - getPos
    if (count == 0) 0
    else if (left <= 0) atEnd()
    else wanted(in.read(bytes, offset, left.min(count.toLong).toInt))
  }

  override def seek(position: Long): Unit =
    if (position > committedBytes)
      throw new EOFException(s"$position is after the $committedBytes committed bytes")
    else in.seek(position)

  override def getPos: Long                             = in.getPos
  override def seekToNewSource(position: Long): Boolean = in.seekToNewSource(position)
  override def available(): Int = (committedBytes - getPos).min(in.available().toLong).toInt
  override def close(): Unit    = in.close()

  /** Not an `EOFException`, which readers of Avro and of SequenceFiles take for the end of the rows. */
  private def wanted(read: Int): Int =
    if (read >= 0) read
    else throw new IOException(s"the storage returned only $getPos of $committedBytes bytes")
}
