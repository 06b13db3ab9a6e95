// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.OutputStream

import stoplog.part.{Closed, Resume}
import stoplog.storage.PartOutput

/** The end of a part: the bytes between a format and a store. Starts small, because a task may have a thousand parts
  * open.
  *
  * @param open       opens the part for writing; called when there is something to write, which for a part whose rows
  *                   are kept beside it may be in a later epoch
  * @param startBytes the bytes that are in the part already
  */
final class PartBuffer private[commit] (open: () => PartOutput, startBytes: Long) extends OutputStream {
  import PartBuffer._

  private[this] var output = Option.empty[PartOutput]
  private[this] var bytes  = new Array[Byte](FirstBytes)
  private[this] var length = 0

  /** Bytes in the part up to here, those of earlier epochs included. */
  def position: Long = stored + length

  /** Bytes handed over to the store that it did not have before. */
  private[commit] def bytesAdded: Long = stored - startBytes

  override def write(byte: Int): Unit = {
    if (length == bytes.length) makeRoom(1)
    bytes(length) = byte.toByte
    length += 1
  }

  override def write(from: Array[Byte], offset: Int, count: Int): Unit =
    if (count > LastBytes) {
      flush()
      opened().write(from, offset, count)
    } else {
      if (length + count > bytes.length) makeRoom(count)
      System.arraycopy(from, offset, bytes, length, count)
      length += count
    }

  override def flush(): Unit = if (length > 0) {
    opened().write(bytes, 0, length)
    length = 0
  }

  /** Opens the part now, so that what is wrong with it is found before there are rows. */
  private[commit] def openNow(): Unit = {
    opened()
    ()
  }

  /** Durable up to here. `None` for a part that was not opened: nothing about it has changed. */
  private[commit] def persist(): Option[Resume] = {
    flush()
    output.map(_.persist())
  }

  private[commit] def finish(): Closed = {
    flush()
    opened().finish()
  }

  override def close(): Unit = output.foreach(_.close())

  private def stored: Long = output.fold(startBytes)(_.position)

  private def opened(): PartOutput = output.getOrElse {
    val fresh = open()
    output = Some(fresh)
    fresh
  }

  /** A part that has filled its buffer will fill it again: then, and only then, it gets a larger one. */
  private def makeRoom(count: Int): Unit = {
    flush()
    if (bytes.length < LastBytes) bytes = new Array[Byte]((bytes.length * 4).max(count).min(LastBytes))
  }
}

private[commit] object PartBuffer {

  /** A thousand open parts hold 8 MB of buffers as long as each gets little. */
  val FirstBytes: Int = 8 << 10

  /** Beyond this a system call costs less than the copy. */
  val LastBytes: Int = 128 << 10
}
