// SPDX-License-Identifier: Apache-2.0
package stoplog.source.format

import java.io.InputStream
import java.net.URI

/** A file, as a format gets it. */
trait FileInput {

  /** As a user knows it. */
  def name: String

  /** With scheme and authority, for libraries that open files by themselves. */
  def location: URI

  /** None if the length is unknown, because the file comes decompressed. */
  def bytes: Option[Long]

  /** The bytes from an offset on. Not buffered. Error: `FileNotFoundException`. */
  def open(from: Long): InputStream
}
