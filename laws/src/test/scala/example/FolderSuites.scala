// SPDX-License-Identifier: Apache-2.0
package example

import java.net.URI
import java.nio.file.StandardOpenOption.{APPEND, WRITE}
import java.nio.channels.FileChannel
import java.nio.file.{Files, Path}
import java.util.Comparator

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration

import stoplog.laws._
import stoplog.part.Resume
import stoplog.storage.{FileStore, PartLayout, PartStore, SourceFiles, SourceLocation, StorageSettings}

/** The storage under test. The laws look at its files by other means than its own. */
final class FolderUnderTest(root: String, override val sinkId: String)
    extends StorageUnderTest
    with InputUnderTest {
  override def files(): FileStore            = storage.files(sinkId)
  override def partStore(): PartStore        = storage.parts(sinkId, PartLayout.Staging(sinkId))
  override def neighbour(): StorageUnderTest = new FolderUnderTest(root, "neighbour")

  override def visible(): Set[String] = Using.resource(Files.walk(Path.of(root))) { all =>
    val names = all.iterator.asScala.filter(Files.isRegularFile(_)).map(Path.of(root).relativize(_).toString)
    names.filterNot(_.split('/').exists(name => name.startsWith("_") || name.startsWith("."))).toSet
  }

  override def bytes(file: String): Array[Byte] = Files.readAllBytes(at(file))

  override def plant(file: String, content: Array[Byte]): Unit = {
    Files.createDirectories(at(file).getParent)
    Files.write(at(file), content)
    ()
  }

  override def appendJunk(open: Resume, junk: Array[Byte]): Unit = {
    Files.write(at(open.token), junk, APPEND)
    ()
  }

  override def cutShort(open: Resume, left: Long): Unit =
    Using.resource(FileChannel.open(at(open.token), WRITE)) { file =>
      file.truncate(left)
      ()
    }

  override def lose(open: Resume): Unit = Files.delete(at(open.token))

  override def close(): Unit = Seq(root, archive()).map(Path.of(_)).filter(Files.exists(_)).foreach { top =>
    Using.resource(Files.walk(top))(_.sorted(Comparator.reverseOrder[Path]).forEach(Files.delete(_)))
  }

  override def input(): SourceFiles = provider.input(SourceLocation(root, uri(root), Vector("")), settings)
  override def state(): FileStore   = provider.state(s"$root/state", uri(s"$root/state"), settings)

  /** Next to the root, and on the same storage. */
  override def archive(): String = s"$root-archive"

  private def provider               = new FolderProvider
  private def settings               = StorageSettings.ofSource(new Configuration(false))
  private def uri(path: String): URI = new URI("folder", null, path, null)
  private def storage                = new FolderStorage(new Folder(root))
  private def at(path: String): Path = Path.of(root, path)
}

trait OnFolder {
  def newInput(): InputUnderTest = newStorage()

  def newStorage(): FolderUnderTest =
    new FolderUnderTest(Files.createTempDirectory("folder").toString, "main")
}

// What every storage has to promise: of its files, of its parts, and of what stoplog keeps there.
class FolderFilesLaws    extends FileStoreLaws with OnFolder
class FolderPartsLaws    extends PartStoreLaws with OnFolder
class FolderFencingLaws  extends FencingLaws with OnFolder
class FolderStagingLaws  extends StagingLaws with OnFolder
class FolderSpoolLaws    extends SpoolFilesLaws with OnFolder
class FolderFinishedLaws extends ReplacedFilesLaws with OnFolder
class FolderRecordsLaws  extends LogFilesLaws with OnFolder
class FolderInputLaws    extends SourceFilesLaws with OnFolder

// What this one promises, where there is a choice.
class FolderUnannouncedLaws  extends UnannouncedLaws with OnFolder  // or AnnouncementLaws
class FolderInPlaceLaws      extends InPlaceLaws with OnFolder      // or CopyingLaws
class FolderCutLaws          extends CutLaws with OnFolder          // or ValidLengthLaws
class FolderEarlyListingLaws extends EarlyListingLaws with OnFolder // or LateListingLaws
class FolderPathLaws         extends PathLaws with OnFolder         // where a token is a path
