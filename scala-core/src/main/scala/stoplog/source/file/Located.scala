// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.net.URI

/** A record that knows where it is from. */
trait Located {

  /** The file, and which piece of it is being read. */
  def split: FileSplit

  /** The file as a user knows it. */
  def fileName: String

  /** The same for other readers of the storage. */
  def location: URI

  /** Where the record begins in its file, in bytes; in a decoded file, in what it was decoded to. None if it is not known.
    */
  def position: Option[Long]
}
