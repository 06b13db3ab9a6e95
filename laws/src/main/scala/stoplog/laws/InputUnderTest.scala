// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import stoplog.storage.{FileStore, SourceFiles}

/** A place in a storage under test, as the input of a source. Implement this trait for a custom storage, and
  * extend [[SourceFilesLaws]].
  */
trait InputUnderTest extends Serializable {

  /** Returns the files of the place, in a new object as in another process. */
  def input(): SourceFiles

  /** Returns the files of a source's state, in a directory of the same storage, in a new store as in another
    * process.
    */
  def state(): FileStore

  /** The absolute path of a directory on the same storage, outside of the place, which may not exist. */
  def archive(): String

  /** Creates a file that stoplog does not know. */
  def plant(file: String, content: Array[Byte]): Unit

  /** Returns the bytes of a file. */
  def bytes(file: String): Array[Byte]

  /** Deletes the place and the archive. */
  def close(): Unit
}
