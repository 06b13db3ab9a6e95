package stoplog.store.s3

import java.io.RandomAccessFile

import stoplog.thread.{SharedMemory, UnnamedFile}

/** The bytes behind the last full part of an upload: in memory while there is some, else in a file of the local disk.
  *
  * With a thousand open parts of up to 8 MiB each, memory alone would not do. The file lies in `java.io.tmpdir`, and
  * holds nothing that a crash could lose: a tail counts only once it is in a record or on S3. Used by one thread.
  *
  * Errors: `IOException` when the local disk is full.
  */
private[s3] final class TailBuffer(memory: SharedMemory) {
  private[this] var bytes  = Array.emptyByteArray
  private[this] var filled = 0
  private[this] var file   = Option.empty[RandomAccessFile]

  def size: Int = filled

  def append(from: Array[Byte], offset: Int, length: Int): Unit = {
    if (file.isEmpty && filled + length > bytes.length) makeRoom(filled + length)
    file match {
      case Some(disk) => disk.write(from, offset, length)
      case None       => System.arraycopy(from, offset, bytes, filled, length)
    }
    filled += length
  }

  /** A copy of what is in it. */
  def content(): Array[Byte] = file match {
    case None       => java.util.Arrays.copyOf(bytes, filled)
    case Some(disk) =>
      val all = new Array[Byte](filled)
      disk.seek(0)
      disk.readFully(all)
      all
  }

  /** What is in it, which is empty then. A full array changes hands, as the next part of an upload. */
  def drain(): Array[Byte] = {
    val all = if (file.isEmpty && filled == bytes.length) bytes else content()
    clear()
    all
  }

  /** Empties it, and gives back what it holds. */
  def clear(): Unit = {
    memory.giveBack(bytes.length.toLong)
    bytes = Array.emptyByteArray
    file.foreach(_.close())
    file = None
    filled = 0
  }

  private def makeRoom(needed: Int): Unit = {
    val room = needed.max(bytes.length * 2).max(TailBuffer.FirstBytes)
    if (memory.take((room - bytes.length).toLong)) bytes = java.util.Arrays.copyOf(bytes, room)
    else spill()
  }

  private def spill(): Unit = {
    val disk = UnnamedFile.open("stoplog-tail-")
    disk.write(bytes, 0, filled)
    memory.giveBack(bytes.length.toLong)
    bytes = Array.emptyByteArray
    file = Some(disk)
  }
}

private[s3] object TailBuffer {

  /** What most buckets of a small epoch fill. */
  private val FirstBytes = 8 << 10
}
