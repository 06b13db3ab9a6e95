// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.InputStream

import stoplog.storage.SourceFile

/** How the bytes of a file become those of its records: how it is compressed, and in which character set it is. */
trait Decoding extends Serializable {

  /** None for a file whose bytes are those of its records as they are: such a file can be read from its middle. */
  def of(file: SourceFile): Option[InputStream => InputStream]
}

object Decoding {

  /** All files are as they are. */
  case object None extends Decoding {
    override def of(file: SourceFile): Option[InputStream => InputStream] = scala.None
  }
}
