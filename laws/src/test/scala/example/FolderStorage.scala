// SPDX-License-Identifier: Apache-2.0
package example

import java.io.{FileNotFoundException, IOException}
import java.net.URI
import java.nio.channels.FileChannel
import java.nio.file.StandardOpenOption.READ
import java.nio.file.{Files, Path}
import java.util.UUID

import stoplog.error.Errors
import stoplog.part.PathBelow
import stoplog.storage._

/** A complete storage: a directory of this machine, under the scheme `folder`. */
final class FolderStorage(folder: Folder) extends Storage {
  override def files(sinkId: String): FileStore = new FolderFiles(folder, sinkId)

  override def parts(sinkId: String, layout: PartLayout): PartStore =
    new FolderParts(folder, new FolderFiles(folder, sinkId), sinkId, layout)

  override def uri(relative: String): URI = new URI("folder", null, s"${folder.root}/$relative", null)

  override def growth(sinkId: String): Growth = Growth.AppendAndTruncate

  override def probe(sinkId: String, layout: PartLayout): String = {
    val (store, trial) = (files(sinkId), s"${SinkDirectory(sinkId).open}/trial-${UUID.randomUUID()}")
    val outcomes       = Seq.fill(2)(store.putIfAbsent(trial, Array.emptyByteArray))
    store.delete(Seq(trial))
    if (outcomes != Seq(PutOutcome.Created, PutOutcome.Taken))
      throw Errors.storeNotExclusive(folder.root, "folder")
    "A folder: a file was created, not created a second time, and deleted."
  }

  override def refuseUnfit(): Unit =
    Iterator.iterate(Path.of(folder.root))(_.getParent).find(Files.exists(_)).foreach { there =>
      if (!Files.isDirectory(there)) throw Errors.pathNotWritable(folder.root, s"$there is not a directory")
    }
}

/** Named in `META-INF/services/stoplog.storage.StorageProvider`. */
final class FolderProvider extends StorageProvider {
  override def scheme: Option[String] = Some("folder")

  override def at(path: String, uri: URI, settings: StorageSettings): Storage =
    new FolderStorage(new Folder(Path.of(uri.getPath).normalize.toString))
}

/** The files of the machine below a directory. A `Path` cannot be sent to an executor, a text can. */
final class Folder(val root: String) extends Serializable {

  /** Where a path below the root leads, and never out of it. */
  def at(path: String): Path = {
    PathBelow.problem(path).foreach(why => throw Errors.pathElsewhere(root, path, why))
    Path.of(root).resolve(path)
  }

  /** The action's result. An error of the machine is one of the storage: the outcome is unknown. */
  def io[A](path: String)(action: Path => A): A = {
    val file = at(path)
    try action(file)
    catch {
      case e: FileNotFoundException => throw e // which `FileStore.open` promises
      case e: IOException           => throw Errors.storeWrite(file.toString, String.valueOf(e.getMessage), e)
    }
  }

  /** Makes a directory, and its name durable. */
  def make(directory: Path): Unit = if (!Files.isDirectory(directory)) {
    make(directory.getParent)
    Files.createDirectories(directory)
    force(directory.getParent)
  }

  /** Makes the names in a directory durable. */
  def force(directory: Path): Unit = {
    val channel = FileChannel.open(directory, READ)
    try channel.force(true)
    finally channel.close()
  }
}
