// SPDX-License-Identifier: Apache-2.0
package stoplog.thread

import java.io.{File, RandomAccessFile}

/** A file of the local disk without a name: no crash leaves it behind. */
private[stoplog] object UnnamedFile {

  /** In `java.io.tmpdir`, unlinked as soon as it is open. Not a channel: an interrupt would close it. */
  def open(prefix: String): RandomAccessFile = {
    val file = File.createTempFile(prefix, ".bin")
    try new RandomAccessFile(file, "rw")
    finally {
      file.delete()
      ()
    }
  }
}
