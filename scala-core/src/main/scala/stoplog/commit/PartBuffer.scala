package stoplog.commit

import java.io.OutputStream

import stoplog.store.PartOutput

/** The bytes between an encoder and a store. Starts small, because a task may have a thousand parts open. */
private[commit] final class PartBuffer(output: PartOutput) extends OutputStream {
  import PartBuffer._

  private[this] var bytes  = new Array[Byte](FirstBytes)
  private[this] var length = 0

  /** Bytes handed over so far, to the store or to this buffer. */
  def position: Long = output.position + length

  override def write(byte: Int): Unit = {
    if (length == bytes.length) makeRoom(1)
    bytes(length) = byte.toByte
    length += 1
  }

  override def write(from: Array[Byte], offset: Int, count: Int): Unit =
    if (count > LastBytes) {
      flush()
      output.write(from, offset, count)
    } else {
      if (length + count > bytes.length) makeRoom(count)
      System.arraycopy(from, offset, bytes, length, count)
      length += count
    }

  override def flush(): Unit = if (length > 0) {
    output.write(bytes, 0, length)
    length = 0
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
