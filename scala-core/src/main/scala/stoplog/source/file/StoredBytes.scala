// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.{FilterInputStream, InputStream}

/** Counts what is read of the storage. */
private[file] final class StoredBytes {
  private var counted = 0L

  def count: Long = counted

  def of(raw: InputStream): InputStream = new FilterInputStream(raw) {
    override def read(): Int = {
      val one = raw.read()
      if (one >= 0) add(1)
      one
    }

    override def read(bytes: Array[Byte], offset: Int, length: Int): Int = {
      val some = raw.read(bytes, offset, length)
      if (some > 0) add(some.toLong)
      some
    }

    override def skip(bytes: Long): Long = {
      val some = raw.skip(bytes)
      add(some)
      some
    }
  }

  private def add(bytes: Long): Unit = counted += bytes
}
