// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.io.OutputStream

import stoplog.laws.UnusedFiles
import stoplog.storage.{FileInfo, FileStore, PutOutcome, ValidLengthNames, VisibleFile}

/** The directories under the sink's path as a listing tells them: finished files, and the hidden ones between them. */
final class SimTree(world: World, notes: FileStore) extends UnusedFiles {
  import world.{disk, op}

  override def visit(directory: String, prefix: String)(each: FileInfo => Unit): Unit =
    op(s"list '$directory'")(children(directory)).filter(_.name.startsWith(prefix)).foreach(each)

  /** One directory after the other, where there are directories. */
  override def walk(directory: String)(enter: String => Boolean): Vector[FileInfo] =
    if (world.isDisk) {
      val (directories, there) = op(s"list '$directory'")(children(directory)).partition(_.isDirectory)
      there ++ directories.filter(found => enter(found.path)).flatMap(found => walk(found.path)(enter))
    } else
      op(s"list all below '$directory'") {
        files.filter { file =>
          val below = file.path.stripPrefix(prefixOf(directory))
          file.path.startsWith(prefixOf(directory)) &&
          parents(below).forall(at => enter(prefixOf(directory) + at))
        }
      }

  /** Every file, hidden or not. */
  def all: Vector[VisibleFile] = walk("")(_ => true).map { file =>
    VisibleFile(file.path, file.bytes, file.bytes, file.modifiedMillis)
  }

  /** The companion of a file. */
  override def read(path: String): Option[Array[Byte]] = op(s"read $path") {
    companions.collectFirst { case (`path`, bytes) => bytes }
  }

  override def createIfAbsent(path: String)(content: OutputStream => Unit): PutOutcome =
    notes.createIfAbsent(path)(content)

  override def exists(path: String): Boolean = notes.exists(path)

  override def delete(paths: Seq[String]): Unit = notes.delete(paths)

  override def deleteEmpty(directory: String): Unit = () // directories come and go with the names in them

  private def children(directory: String): Vector[FileInfo] = {
    val prefix = prefixOf(directory)
    files
      .filter(_.path.startsWith(prefix))
      .map { file =>
        val below = file.path.stripPrefix(prefix)
        if (below.contains('/')) FileInfo(prefix + below.takeWhile(_ != '/'), FileInfo.Directory, None)
        else file
      }
      .distinct
  }

  private def files: Vector[FileInfo] = world.listed {
    val inodes = (disk.finished.iterator ++ disk.hidden.iterator ++ inBuckets).map { case (path, inode) =>
      FileInfo(path, FileInfo.File(inode.length.toLong), Some(inode.modifiedAtMillis))
    }
    val lengths = companions.map { case (path, bytes) =>
      FileInfo(path, FileInfo.File(bytes.length.toLong), Some(0))
    }
    inodes ++ lengths
  }.toVector

  private def companions: Iterator[(String, Array[Byte])] = disk.lengths.iterator.map { case (path, bytes) =>
    ValidLengthNames.standard.of(path) -> ValidLengthNames.encoded(bytes.toLong)
  }

  /** Unfinished parts next to the finished ones. */
  private def inBuckets: Iterator[(String, Inode)] = world.surroundings.unfinished match {
    case Unfinished.InStaging => Iterator.empty
    case Unfinished.InBuckets =>
      disk.staged.iterator.collect { case (SimTree.OfQuery(bucket, name), inode) =>
        s"$bucket/.$name" -> inode
      }
  }

  private def parents(path: String): Iterator[String] =
    path.indices.iterator.filter(path(_) == '/').map(path.take)

  private def prefixOf(directory: String): String = if (directory.isEmpty) "" else s"$directory/"
}

private object SimTree {
  private val OfQuery = s"${DiskLog.Main}/open/(.+)/([^/]+)".r
}
