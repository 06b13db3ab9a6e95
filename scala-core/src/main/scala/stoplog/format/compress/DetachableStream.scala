package stoplog.format.compress

import java.io.OutputStream

/** Lets a codec close "its" stream without closing the part, and, once detached, write its end to nowhere. */
private[compress] final class DetachableStream(out: OutputStream) extends OutputStream {

  private var attached = true

  /** From now on what is written is dropped. */
  def detach(): Unit = attached = false

  override def write(b: Int): Unit = if (attached) out.write(b)

  override def write(bytes: Array[Byte], offset: Int, count: Int): Unit =
    if (attached) out.write(bytes, offset, count)

  // The part's own stream decides when bytes go to storage.
  override def flush(): Unit = ()

  override def close(): Unit = ()
}
