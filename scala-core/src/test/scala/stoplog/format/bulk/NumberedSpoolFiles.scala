// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.io.{ByteArrayInputStream, InputStream, OutputStream}

import stoplog.part.SpoolFile
import stoplog.sink.Staged
import stoplog.storage.{NewPart, NoFiles, SpoolFiles}

/** Files that are there already, as `file-0`, `file-1`, and so on. */
final class NumberedSpoolFiles(files: Seq[Array[Byte]]) extends SpoolFiles(NoFiles, "main") {
  override def read(file: SpoolFile): InputStream =
    new ByteArrayInputStream(files(file.token.stripPrefix("file-").toInt))

  override def write(part: NewPart)(content: OutputStream => Unit): String =
    throw new UnsupportedOperationException
  override def staged(): Vector[Staged]           = throw new UnsupportedOperationException
  override def discard(tokens: Seq[String]): Unit = throw new UnsupportedOperationException
}
