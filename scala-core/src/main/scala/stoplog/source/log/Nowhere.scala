// SPDX-License-Identifier: Apache-2.0
package stoplog.source.log

import java.io.{FileNotFoundException, InputStream, OutputStream}

import stoplog.log.PutOutcome

/** For a batch query, which keeps no state: what is written is gone. */
private[stoplog] object Nowhere extends StateFiles {
  override def list(): Vector[String] = Vector.empty

  override def open(name: String): InputStream = throw new FileNotFoundException(name)

  override def putIfAbsent(name: String)(write: OutputStream => Unit): PutOutcome = {
    write(OutputStream.nullOutputStream())
    PutOutcome.Created
  }

  override def delete(name: String): Unit = ()

  override def in(directory: String): StateFiles = this

  override def describe(name: String): String = "no state"
}
