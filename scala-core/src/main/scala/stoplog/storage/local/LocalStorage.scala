// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.io.IOException
import java.net.URI
import java.nio.file.{Files, Path, Paths}
import java.util.UUID

import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.storage._

/** A local file system, or a file system that is mounted everywhere.
  *
  * @param host the check of a task's host. The driver creates the storage and sends it to the tasks, which
  *             create their stores from it
  */
private[stoplog] final class LocalStorage(
    path: String,
    root: String,
    forcing: LocalForcing,
    faults: Faults,
    host: TaskHost = TaskHost.ofThisDriver
) extends Storage {

  override def files(sinkId: String): FileStore = LocalFileStore.ofSink(root, sinkId, forcing)

  override def parts(sinkId: String, layout: PartLayout): PartStore =
    new LocalPartStore(root, sinkId, layout, forcing, faults, host)

  override def uri(relative: String): URI = new URI("file", null, s"$root/$relative", null)

  override def growth(sinkId: String): Growth = Growth.AppendAndTruncate

  override def probe(sinkId: String, layout: PartLayout): String = {
    tryLinks(sinkId)
    "A local or mounted file system: a file was created, linked under a second name, and deleted."
  }

  override def refuseUnfit(): Unit = {
    val nearest = Iterator.iterate(Paths.get(root))(_.getParent).takeWhile(_ != null).find(Files.exists(_))
    nearest.foreach { there =>
      if (!Files.isDirectory(there)) throw Errors.pathNotWritable(path, s"$there is not a directory")
      if (LocalFiles.refusesWrites(there))
        throw Errors.pathNotWritable(path, s"there is no right to write to $there")
    }
  }

  override def pathProblem(path: String): Option[String] =
    NativeNames.problem(path).orElse(Storage.tooLong(s"$root/$path", LocalStorage.MostPathBytes, "Linux"))

  /** Tries all calls of the sink with an empty file, so that the start fails instead of the first epoch. */
  private def tryLinks(sinkId: String): Unit = {
    val directory = Paths.get(root, SinkDirectory(sinkId).open)
    try {
      val name = directory.resolve(s".probe.${UUID.randomUUID()}")
      val file = LocalForcing.creatingIn(directory, forcing)(Files.createFile(name))
      val link = file.resolveSibling(s"${file.getFileName}.link")
      try linked(file, link)
      finally {
        Files.deleteIfExists(file)
        Files.deleteIfExists(link)
        ()
      }
    } catch { case e: IOException => throw Errors.pathNotWritable(root, reason(e)) }
  }

  private def linked(file: Path, link: Path): Unit =
    try {
      Files.createLink(link, file)
      ()
    } catch {
      case e: UnsupportedOperationException => throw new IOException("its file system has no hard links", e)
    }

  private def reason(e: IOException): String = e match {
    case denied: java.nio.file.AccessDeniedException => s"access to ${denied.getFile} is denied"
    case other => s"${other.getClass.getSimpleName}: ${other.getMessage}"
  }
}

private object LocalStorage {
  private final val MostPathBytes = 4095
}

private[stoplog] final class LocalStorageProvider extends StorageProvider {
  override def scheme: Option[String] = Some("file")

  override def at(path: String, uri: URI, settings: StorageSettings): Storage = {
    refuse(path, uri)
    val root: Path = Paths.get(uri.getPath).toAbsolutePath.normalize
    new LocalStorage(path, root.toString, LocalForcing.of(settings.durability), settings.faults)
  }

  override def input(root: SourceLocation, settings: StorageSettings): SourceFiles = {
    Storage.localProblem(root.uri).foreach(why => throw Errors.sourcePath(root.path, why))
    new LocalSourceFiles(root.uri.getPath, settings.faults, root.named)
  }

  /** Drafts are hidden files of the same directory. */
  override def state(path: String, uri: URI, settings: StorageSettings): FileStore = {
    refuse(path, uri)
    new LocalFileStore(uri.getPath, drafts = None, LocalForcing.of(settings.durability))
  }

  private def refuse(path: String, uri: URI): Unit = Storage
    .localProblem(uri)
    .orElse(NativeNames.problem(uri.getPath))
    .foreach(why => throw Errors.pathNotWritable(path, why))
}
