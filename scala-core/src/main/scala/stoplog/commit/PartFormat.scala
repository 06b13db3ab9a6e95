// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.OutputStream

import stoplog.part.{Closed, Resume, Spooled}
import stoplog.storage.PartOutput

/** A format of parts, as the protocol needs to know it: it makes bytes of rows. For one task, or for the driver. */
private[stoplog] trait PartFormat[-R] {

  /** The encoder for the rows of a part that begins at `end`, which is empty still. */
  def begin(name: String, end: PartBuffer): PartEncoder[R]

  /** The same for a part that earlier epochs have left open. `end` is behind its last valid byte. */
  def resume(name: String, end: PartBuffer, beside: Spooled): PartEncoder[R]

  /** Frees what it holds beside its parts. Called when the task is over, any number of times. */
  def close(): Unit = ()
}

/** The rows of one part on their way to its end. Used by one thread at a time. */
private[stoplog] trait PartEncoder[-R] {

  /** Appends one row, which must not be kept: it is reused. */
  def append(row: R): Unit

  /** Bytes that the part would have on storage if it ended now, estimated for rows that are not encoded yet. */
  def sizeBytes: Long

  /** Brings the part to a point from which any process can go on with it. What is to be kept beside it for that is
    * written when its bytes are.
    */
  def pause(): Unflushed

  /** Writes all that is still to be written: the part is a whole file then. */
  def finish(): Unit

  /** Frees what it holds; what was not written is given up. Harmless after the others. */
  def close(): Unit
}

/** The remainder of a part that stays open, beside its bytes, at the end of an epoch.
  *
  * @param note         a short text of the format's own
  * @param rows         the rows for a file beside the part, if any
  * @param storageBytes what all rows beside the part will add to it, as far as that can be known
  */
private[stoplog] final case class Unflushed(note: String, rows: UnflushedRows, storageBytes: Long)

private[stoplog] object Unflushed {

  /** Everything is in the part. */
  val nothing: Unflushed = Unflushed("", UnflushedRows.None, 0)
}

/** Rows that are kept beside a part; written where and when the protocol says. */
private[stoplog] sealed trait UnflushedRows
private[stoplog] object UnflushedRows {

  /** None are left, of this epoch or others. */
  case object None extends UnflushedRows

  /** Those of this epoch, behind those that earlier ones have left. */
  final case class More(writeTo: OutputStream => Unit) extends UnflushedRows

  /** These, in place of all that earlier epochs have left. */
  final case class Instead(writeTo: OutputStream => Unit) extends UnflushedRows
}

/** The end of a part: the bytes between a format and a store. Starts small, because a task may have a thousand parts
  * open.
  *
  * @param open       opens the part for writing; called when there is something to write, which for a part whose rows
  *                   are kept beside it may be in a later epoch
  * @param startBytes the bytes that are in the part already
  */
private[stoplog] final class PartBuffer private[commit] (open: () => PartOutput, startBytes: Long)
    extends OutputStream {
  import PartBuffer._

  private[this] var output = Option.empty[PartOutput]
  private[this] var bytes  = new Array[Byte](FirstBytes)
  private[this] var length = 0

  // The output's position, and its limit. They are kept here because a task asks for them with each row.
  private[this] var stored = startBytes
  private[this] var most   = Long.MaxValue

  /** Bytes in the part up to here, those of earlier epochs included. */
  def position: Long = stored + length

  /** See [[stoplog.storage.PartOutput.mostBytes]]; known once the part is opened. */
  private[commit] def mostBytes: Long = most

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

  /** Opens the part now, so that what is wrong with it is found before there are rows. */
  private[commit] def openNow(): Unit = {
    opened()
    ()
  }

  /** Durable up to here. `None` for a part that was not opened: nothing about it has changed. */
  private[commit] def persist(inRecordBytes: Int): Option[Resume] = {
    flush()
    output.map(_.persist(inRecordBytes))
  }

  private[commit] def finish(): Closed = {
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
