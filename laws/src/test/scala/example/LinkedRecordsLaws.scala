// SPDX-License-Identifier: Apache-2.0
package example

import java.nio.file.{Files, Path}
import java.util.Comparator

import scala.jdk.CollectionConverters._
import scala.util.Using

import stoplog.laws.{RecordStoreLaws, StorageUnderTest}
import stoplog.log.LogFiles
import stoplog.part.Resume
import stoplog.storage.{ReplacedFiles, FileStore, PartStore, SpoolFiles}

/** A place with one store of one's own. It travels to other processes, and so holds no more than where it is. */
final class LinkedStorage(directory: String, sinkId: String) extends StorageUnderTest {
  override def recordStore(): LogFiles    = new LinkedRecords(s"$directory/_stoplog/$sinkId/log")
  override def neighbour(): StorageUnderTest = new LinkedStorage(directory, "neighbour")

  /** Looked at by other means than the store's: all that readers do not pass over. */
  override def visible(): Set[String] = Using.resource(Files.walk(Path.of(directory))) { all =>
    val names = all.iterator.asScala.filter(Files.isRegularFile(_)).map(Path.of(directory).relativize(_).toString)
    names.filterNot(_.split('/').exists(name => name.startsWith("_") || name.startsWith("."))).toSet
  }

  override def bytes(file: String): Array[Byte] = Files.readAllBytes(Path.of(directory, file))

  override def plant(file: String, content: Array[Byte]): Unit = {
    Files.write(Path.of(directory, file), content)
    ()
  }

  override def close(): Unit =
    Using.resource(Files.walk(Path.of(directory)))(_.sorted(Comparator.reverseOrder[Path]).forEach(Files.delete(_)))

  override def partStore(): PartStore                            = notAsked
  override def sideStore(): SpoolFiles                            = notAsked
  override def noteStore(): FileStore                            = notAsked
  override def finishedStore(): ReplacedFiles                    = notAsked
  override def appendJunk(open: Resume, junk: Array[Byte]): Unit = notAsked
  override def cutShort(open: Resume, left: Long): Unit          = notAsked
  override def lose(open: Resume): Unit                          = notAsked

  private def notAsked: Nothing = throw new UnsupportedOperationException("for the laws of records alone")
}

class LinkedRecordsLaws extends RecordStoreLaws {
  override def newStorage(): StorageUnderTest =
    new LinkedStorage(Files.createTempDirectory("linked").toString, "main")
}
