// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.io.{ByteArrayInputStream, InputStream, RandomAccessFile}

import stoplog.thread.SharedMemory
import stoplog.thread.SharedMemory.UnnamedFile

/** Buffers the bytes after the last full part of an upload: in memory if memory is available, otherwise in a
  * file on the local disk.
  *
  * For a thousand open parts of up to 16 MiB each, memory is not sufficient. The file is in `java.io.tmpdir`.
  * A crash loses no committed bytes, because a tail is only valid once it is in a record or on S3. Used by
  * one thread.
  *
  * Errors: `IOException` if the local disk is full.
  *
  * @param open opens a file without a name
  */
private[s3] final class TailBuffer(
    memory: SharedMemory,
    open: () => RandomAccessFile = () => UnnamedFile.open("stoplog-tail-")
) {
  // Several arrays: growing a single array would copy all bytes repeatedly, and the garbage collector handles
  // huge arrays separately.
  private[this] var pieces = Vector.empty[Array[Byte]]
  private[this] var room   = 0
  private[this] var filled = 0
  private[this] var file   = Option.empty[RandomAccessFile]

  def size: Int = filled

  /** Whether memory was not sufficient. */
  def isOnDisk: Boolean = file.isDefined

  def append(from: Array[Byte], offset: Int, length: Int): Unit = if (length > 0) {
    if (file.isEmpty && filled + length > room) makeRoom(filled + length)
    file match {
      case Some(disk) => disk.write(from, offset, length)
      case None       => fill(from, offset, length)
    }
    filled += length
  }

  /** Returns a copy of the content.
    *
    * @param from the first byte of the copy
    */
  def content(from: Int = 0): Array[Byte] = file match {
    case None =>
      val in = new TailBuffer.PiecesInput(pieces, filled)
      in.skipNBytes(from.toLong)
      in.readNBytes(filled - from)
    case Some(disk) =>
      val all = new Array[Byte](filled - from)
      disk.seek(from.toLong)
      disk.readFully(all)
      all
  }

  /** Removes and returns the content. The stream supports marks, so that a request can be repeated. */
  def drain(): InputStream = {
    val all =
      if (file.isEmpty) new TailBuffer.PiecesInput(pieces, filled) else new ByteArrayInputStream(content())
    clear()
    all
  }

  /** Empties the buffer and releases its resources. */
  def clear(): Unit = {
    forget()
    file.foreach(_.close())
    file = None
    filled = 0
  }

  private def makeRoom(needed: Int): Unit = {
    val more = (needed - room).max(room.min(TailBuffer.PieceBytes)).max(TailBuffer.FirstBytes)
    if (memory.take(more.toLong)) {
      pieces = pieces :+ new Array[Byte](more)
      room += more
    } else spill()
  }

  /** Fills the last piece but one, and then the last piece, as created by [[makeRoom]]. */
  private def fill(from: Array[Byte], offset: Int, length: Int): Unit = {
    val last  = pieces.last
    val start = room - last.length
    val early = (start - filled).max(0).min(length)
    if (early > 0) {
      val before = pieces(pieces.size - 2)
      System.arraycopy(from, offset, before, before.length - (start - filled), early)
    }
    System.arraycopy(from, offset + early, last, filled + early - start, length - early)
  }

  private def spill(): Unit = {
    val disk = open()
    try disk.write(content())
    catch { case e: Throwable => disk.close(); throw e }
    forget()
    file = Some(disk)
  }

  private def forget(): Unit = {
    memory.giveBack(room.toLong)
    pieces = Vector.empty
    room = 0
  }
}

private[s3] object TailBuffer {

  /** The size that most buckets of a small epoch fill. */
  private val FirstBytes = 8 << 10

  /** Beyond this size, a piece is at most as large as all previous pieces together. */
  private val PieceBytes = 256 << 10

  /** Reads the pieces in order. Supports marks, to which clients reset the stream when they repeat a request.
    *
    * @param bytes the number of bytes; the last piece may be longer
    */
  private final class PiecesInput(pieces: Vector[Array[Byte]], bytes: Int) extends InputStream {
    private[this] var at     = 0
    private[this] var marked = 0

    override def read(): Int = {
      val one = new Array[Byte](1)
      if (read(one, 0, 1) < 0) -1 else one(0) & 0xff
    }

    override def read(into: Array[Byte], offset: Int, length: Int): Int =
      if (length == 0) 0
      else if (at == bytes) -1
      else {
        var index = 0
        var start = 0
        while (start + pieces(index).length <= at) {
          start += pieces(index).length
          index += 1
        }
        val piece = pieces(index)
        val count = length.min(bytes - at).min(start + piece.length - at)
        System.arraycopy(piece, at - start, into, offset, count)
        at += count
        count
      }

    override def skip(count: Long): Long = {
      val skipped = count.max(0).min(available().toLong)
      at += skipped.toInt
      skipped
    }

    override def available(): Int = bytes - at

    override def markSupported(): Boolean = true

    override def mark(limit: Int): Unit = marked = at

    override def reset(): Unit = at = marked
  }
}
