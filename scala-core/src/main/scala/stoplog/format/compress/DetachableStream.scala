// SPDX-License-Identifier: Apache-2.0
package stoplog.format.compress

import java.io.OutputStream

/** Lets a library close "its" stream without closing the part, and, once detached, write to nowhere. */
private[format] final class DetachableStream(out: OutputStream) extends OutputStream {

  private var attached = true

  /** From now on what is written is dropped. */
  def detach(): Unit = attached = false

  /** From now on what is written arrives again. */
  def attach(): Unit = attached = true

  override def write(b: Int): Unit = if (attached) out.write(b)

  override def write(bytes: Array[Byte], offset: Int, count: Int): Unit =
    if (attached) out.write(bytes, offset, count)

  // The part's own stream decides when bytes go to storage.
  override def flush(): Unit = ()

  override def close(): Unit = ()
}
