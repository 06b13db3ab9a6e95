// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import stoplog.log.LogFiles
import stoplog.part.Resume
import stoplog.storage.{FileStore, PartStore, ReplacedFiles, SpoolFiles}

/** A place in a storage under test: its two interfaces, and access that bypasses the stores.
  *
  * The laws inspect visible files without the code of the store. Implement this trait for a custom storage.
  * Extend [[FileStoreLaws]], [[PartStoreLaws]], [[FencingLaws]], [[StagingLaws]], [[SpoolFilesLaws]],
  * [[ReplacedFilesLaws]] and [[LogFilesLaws]] to check the promises on which the commit protocol depends. The
  * object is sent to other processes by Java serialization.
  */
trait StorageUnderTest extends Serializable {

  /** The sink of these files and parts. */
  def sinkId: String

  /** Returns the files of the place, in a new store as in another process. */
  def files(): FileStore

  /** Returns the parts of the sink id, in a new store as in another process. */
  def partStore(): PartStore

  /** Returns the log of the sink id. */
  final def logFiles(): LogFiles = new LogFiles(files(), sinkId)

  /** Returns the files with rows that do not fill a block yet. */
  final def spoolFiles(): SpoolFiles = new SpoolFiles(files(), sinkId)

  /** Returns the finished parts that other parts replace. */
  final def replacedFiles(): ReplacedFiles = new ReplacedFiles(files(), sinkId)

  /** Returns the same place under another sink id. */
  def neighbour(): StorageUnderTest

  /** Returns the paths of all files that a reader of the directory interprets as data. */
  def visible(): Set[String]

  /** Returns the bytes of a file that are valid for readers. */
  def bytes(file: String): Array[Byte]

  /** Returns all bytes of a file; more than the valid bytes only if the storage does not support truncation.
    */
  def stored(file: String): Array[Byte] = bytes(file)

  /** Returns the number of valid bytes of a file, if a valid-length file records the number. */
  def validLength(file: String): Option[Int] = None

  /** Creates a file that stoplog does not know. */
  def plant(file: String, content: Array[Byte]): Unit

  /** Appends bytes to an unfinished part after its last committed byte, like a writer that died or is still
    * running.
    */
  def appendJunk(open: Resume, junk: Array[Byte]): Unit

  /** Removes durable bytes, which no store should lose. */
  def cutShort(open: Resume, left: Long): Unit

  /** Removes an unfinished part. */
  def lose(open: Resume): Unit

  /** Deletes the place. */
  def close(): Unit
}
