// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.net.URI
import java.nio.file.{Files, Path, Paths}

import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.storage._

/** A local, or everywhere mounted, file system. */
private[stoplog] final class LocalStorage(path: String, root: String, forcing: LocalForcing, faults: Faults)
    extends Storage {

  override def files(sinkId: String): FileStore = LocalFileStore.ofSink(root, sinkId, forcing)

  override def parts(sinkId: String, layout: PartLayout): PartStore = store(sinkId, layout)

  override def uri(relative: String): URI = new URI("file", null, s"$root/$relative", null)

  override def growth(sinkId: String): Growth = Growth.AppendAndTruncate

  override def probe(sinkId: String, layout: PartLayout): String = {
    store(sinkId, layout).probe()
    "A local or mounted file system: a file was created, linked under a second name, and deleted."
  }

  override def refuseUnfit(): Unit = {
    val nearest = Iterator.iterate(Paths.get(root))(_.getParent).takeWhile(_ != null).find(Files.exists(_))
    nearest.foreach { there =>
      if (!Files.isDirectory(there)) throw Errors.pathNotWritable(path, s"$there is not a directory")
      if (!Files.isWritable(there))
        throw Errors.pathNotWritable(path, s"there is no right to write to $there")
    }
  }

  private def store(sinkId: String, layout: PartLayout): LocalPartStore =
    new LocalPartStore(root, sinkId, layout, forcing, faults)
}

private[stoplog] final class LocalStorageProvider extends StorageProvider {
  override def scheme: Option[String] = Some("file")

  override def at(path: String, uri: URI, settings: StorageSettings): Storage = {
    val root: Path = Paths.get(uri.getPath).toAbsolutePath.normalize
    new LocalStorage(path, root.toString, LocalForcing.of(settings.durability), settings.faults)
  }
}
