// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import stoplog.log.LogFiles
import stoplog.part.Resume
import stoplog.storage.{FileStore, PartStore, ReplacedFiles, SpoolFiles}

/** One place on one storage, as the laws need it: its two seams, and a way around them.
  *
  * What is asserted about visible files is read with means other than the store's own. Implement this for your own
  * storage and extend [[FileStoreLaws]], [[PartStoreLaws]], [[FencingLaws]], [[StagingLaws]], [[SpoolFilesLaws]],
  * [[ReplacedFilesLaws]] and [[LogFilesLaws]] to see whether it keeps the promises that the commit protocol rests on.
  * It is sent to other processes, by Java serialization.
  */
trait StorageUnderTest extends Serializable {

  /** The sink that these files and parts belong to. */
  def sinkId: String

  /** The files of the place, as another process would reach them. */
  def files(): FileStore

  /** The parts of the sink id, as another process would reach them. */
  def partStore(): PartStore

  /** The log of the sink id. */
  final def logFiles(): LogFiles = new LogFiles(files(), sinkId)

  /** Files with rows that do not fill a block yet. */
  final def spoolFiles(): SpoolFiles = new SpoolFiles(files(), sinkId)

  /** Finished parts that give way to others. */
  final def replacedFiles(): ReplacedFiles = new ReplacedFiles(files(), sinkId)

  /** The same place under another sink id. */
  def neighbour(): StorageUnderTest

  /** The paths of everything that a reader of the directory would take for data. */
  def visible(): Set[String]

  /** The bytes that a reader is to take from a path. */
  def bytes(file: String): Array[Byte]

  /** All bytes that lie there: more than that only where nothing can be cut. */
  def stored(file: String): Array[Byte] = bytes(file)

  /** How many bytes of the file count, where something is noted beside it. */
  def validLength(file: String): Option[Int] = None

  /** Puts a file there that stoplog knows nothing of. */
  def plant(file: String, content: Array[Byte]): Unit

  /** Does to an unfinished part what a writer does that died, or lives on, after its last committed byte. */
  def appendJunk(open: Resume, junk: Array[Byte]): Unit

  /** Loses bytes that were durable, as no store should. */
  def cutShort(open: Resume, left: Long): Unit

  /** Loses an unfinished part. */
  def lose(open: Resume): Unit

  /** Forgets the place. */
  def close(): Unit
}
