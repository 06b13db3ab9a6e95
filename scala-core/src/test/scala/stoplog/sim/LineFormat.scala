// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.io.OutputStream
import java.nio.charset.StandardCharsets.UTF_8

import stoplog.writing.{Member, RowPartFormat}

/** A row and a newline, handed to the store at once, so that a crash can come between any two rows. */
object LineFormat extends RowPartFormat[String] {
  override def start(out: OutputStream): Unit = ()

  override def encode(row: String, out: OutputStream): Unit = {
    out.write(s"$row\n".getBytes(UTF_8))
    out.flush()
  }

  override def openMember(out: OutputStream): Option[Member] = None
}
