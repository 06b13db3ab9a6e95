// SPDX-License-Identifier: Apache-2.0
package stoplog.format.compress

import java.io.OutputStream

/** Uncompressed bytes: a member without a start or an end. */
private[compress] final class PlainMember(out: OutputStream) extends MemberStream {

  override def write(b: Int): Unit = out.write(b)

  override def write(bytes: Array[Byte], offset: Int, count: Int): Unit = out.write(bytes, offset, count)

  override def finish(): Unit = ()

  override def close(): Unit = ()
}
