// SPDX-License-Identifier: Apache-2.0
package stoplog.merge

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}

import stoplog.error.Errors
import stoplog.part.FinishedPart
import stoplog.source.file.PathRules

/** The files under a path that readers take for data. */
private[stoplog] final class DirectoryListing(path: String, root: Path, configuration: Configuration) {
  private val system: FileSystem = root.getFileSystem(configuration)

  /** Smaller than so many bytes, and not empty. Error: `STOPLOG_NOT_COMPACTABLE`. */
  def smallerThan(bytes: Long): Vector[FinishedPart] = {
    if (!system.exists(root)) throw Errors.notCompactable(path, "there is no such directory")
    above.foreach { directory =>
      DirectoryFormat.refuse(path, directory.toString, DirectoryFormat.keptIn(inside(directory)))
    }
    under(root, "").filter(file => file.sizeBytes > 0 && file.sizeBytes < bytes)
  }

  private def under(directory: Path, relative: String): Vector[FinishedPart] = {
    val entries = system.listStatus(directory).toVector.sortBy(_.getPath.getName)
    val names   = entries.map(_.getPath.getName).toSet
    DirectoryFormat.refuse(path, directory.toString, if (relative.isEmpty) names - OwnLog else names)
    refuseIceberg(directory, entries)
    entries.filterNot(entry => PathRules.isHidden(entry.getPath.getName)).flatMap { entry =>
      val name = entry.getPath.getName
      if (entry.isDirectory) under(entry.getPath, if (relative.isEmpty) name else s"$relative/$name")
      else Vector(FinishedPart(relative, name, entry.getLen, records = 0, epoch = -1))
    }
  }

  private def above: Iterator[Path] = Iterator.iterate(root.getParent)(_.getParent).takeWhile(_ != null)

  private def inside(directory: Path)(name: String): Boolean = system.exists(new Path(directory, name))

  /** Of the path itself it is read. */
  private def OwnLog = "_stoplog"

  private def refuseIceberg(directory: Path, entries: Vector[FileStatus]): Unit =
    entries.find(entry => entry.isDirectory && entry.getPath.getName == "metadata").foreach { metadata =>
      if (system.listStatus(metadata.getPath).exists(_.getPath.getName.endsWith(".metadata.json")))
        throw Errors.notCompactable(path, s"$directory has metadata of Iceberg, which names the files")
    }
}
