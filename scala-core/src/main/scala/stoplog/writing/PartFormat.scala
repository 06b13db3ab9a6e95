// SPDX-License-Identifier: Apache-2.0
package stoplog.writing

import java.io.OutputStream

import stoplog.part.{Closed, Resume, Spooled}
import stoplog.storage.PartOutput

/** A format of parts, as the protocol uses it: encodes rows. Used by one task, or by the driver. */
private[stoplog] trait PartFormat[-R] {

  /** Creates the encoder of a new part; `end` is empty. */
  def begin(name: String, end: PartBuffer): PartEncoder[R]

  /** Creates the encoder of a part left open by earlier epochs; `end` follows its last valid byte. */
  def resume(name: String, end: PartBuffer, spooled: Spooled): PartEncoder[R]

  /** Releases resources other than parts. Called when the task is over, any number of times. */
  def close(): Unit = ()
}

/** The encoder of one part. Used by one thread at a time. */
private[stoplog] trait PartEncoder[-R] {

  /** Prepares for rows. Called once, before the first [[append]]; not called for a part without new rows. */
  def begin(): Unit = ()

  /** Appends one row. The encoder must not keep the row, because the caller reuses the object. */
  def append(row: R): Unit

  /** Returns the bytes of the part on storage if it ended now, with an estimate for rows not yet encoded. */
  def sizeBytes: Long

  /** Prepares the part so that any process can resume from this point. The returned rows are spooled when the
    * part's bytes are written.
    */
  def pause(): Unflushed

  /** Writes all remaining bytes: the part is then a complete file. */
  def finish(): Unit

  /** Releases resources and abandons unwritten rows. May be called after the other methods. */
  def close(): Unit
}

/** The remainder of an open part at the end of an epoch, in addition to its bytes.
  *
  * @param note         a short text defined by the format
  * @param rows         the rows to spool, if any
  * @param storageBytes an estimate of the bytes that all spooled rows will add to the part
  */
private[stoplog] final case class Unflushed(note: String, rows: UnflushedRows, storageBytes: Long)

private[stoplog] object Unflushed {

  /** Nothing remains: the part contains all rows. */
  val nothing: Unflushed = Unflushed("", UnflushedRows.None, 0)
}

/** Rows to spool; the protocol decides where and when. */
private[stoplog] sealed trait UnflushedRows
private[stoplog] object UnflushedRows {

  /** No rows remain, of this epoch or of earlier epochs. */
  case object None extends UnflushedRows

  /** The rows of this epoch, appended to the spooled rows of earlier epochs. */
  final case class More(writeTo: OutputStream => Unit) extends UnflushedRows

  /** Rows in place of all spooled rows of earlier epochs. */
  final case class Instead(writeTo: OutputStream => Unit) extends UnflushedRows
}

/** The end of a part: the buffer between a format and a store. Starts small, because a task may have a
  * thousand open parts.
  *
  * @param open       opens the part for writing; called with the first bytes to write, which may belong to a
  *                   later epoch for a part with spooled rows
  * @param startBytes the bytes already in the part
  */
private[stoplog] final class PartBuffer private[stoplog] (open: () => PartOutput, startBytes: Long)
    extends OutputStream {
  import PartBuffer._

  private[this] var output = Option.empty[PartOutput]
  private[this] var bytes  = new Array[Byte](FirstBytes)
  private[this] var length = 0

  // The output's position and limit, stored here because a task reads both for each row.
  private[this] var stored = startBytes
  private[this] var most   = Long.MaxValue

  /** Returns the bytes in the part up to here, including the bytes of earlier epochs. */
  def position: Long = stored + length

  /** See [[stoplog.storage.PartOutput.mostBytes]]; known after the part was opened. */
  private[stoplog] def mostBytes: Long = most

  /** Returns the bytes passed to the store since the start. */
  private[stoplog] def bytesAdded: Long = stored - startBytes

  override def write(byte: Int): Unit = {
    if (length == bytes.length) makeRoom(1)
    bytes(length) = byte.toByte
    length += 1
  }

  override def write(from: Array[Byte], offset: Int, count: Int): Unit =
    if (count > LastBytes) {
      flush()
      store(from, offset, count)
    } else {
      if (length + count > bytes.length) makeRoom(count)
      System.arraycopy(from, offset, bytes, length, count)
      length += count
    }

  override def flush(): Unit = if (length > 0) {
    store(bytes, 0, length)
    length = 0
  }

  /** Opens the part now, so that errors appear before the first row. */
  private[stoplog] def openNow(): Unit = {
    opened()
    ()
  }

  /** Makes the part durable up to here. `None` for a part that was not opened and so has not changed. */
  private[stoplog] def persist(inRecordBytes: Int): Option[Resume] = {
    flush()
    output.map(_.persist(inRecordBytes))
  }

  private[stoplog] def finish(): Closed = {
    flush()
    opened().finish()
  }

  override def close(): Unit = output.foreach(_.close())

  private def store(from: Array[Byte], offset: Int, count: Int): Unit = {
    val to = opened()
    to.write(from, offset, count)
    stored = to.position
    most = to.mostBytes
  }

  private def opened(): PartOutput = output.getOrElse {
    val fresh = open()
    output = Some(fresh)
    stored = fresh.position
    most = fresh.mostBytes
    fresh
  }

  /** Flushes, and enlarges a filled buffer: a part that fills its buffer once will do so again. */
  private def makeRoom(count: Int): Unit = {
    flush()
    if (bytes.length < LastBytes) bytes = new Array[Byte]((bytes.length * 4).max(count).min(LastBytes))
  }
}

private[stoplog] object PartBuffer {

  /** Bytes. A thousand open parts hold 8 MB of buffers while each gets few rows. */
  val FirstBytes: Int = 8 << 10

  /** Bytes. Above this size a system call costs less than the copy. */
  val LastBytes: Int = 128 << 10
}
