// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import java.io.{FileNotFoundException, IOException}
import java.net.URI
import java.nio.channels.FileChannel
import java.nio.file.StandardOpenOption.{APPEND, WRITE}
import java.nio.file.{FileAlreadyExistsException, Files, NoSuchFileException, Path => File}
import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.{FSDataOutputStream, FileStatus, Path}
import org.apache.hadoop.util.Progressable

/** A local directory as a file system of its own scheme, which others take abilities from. Files can be appended to
  * and cut, whoever else has them open; nothing has leases; and a rename is refused where the name is taken.
  */
abstract class DirectoryFs(scheme: String) extends DiskFs {
  override def getUri: URI       = URI.create(s"$scheme:///")
  override def getScheme: String = scheme

  /** Exclusive among all processes, as links are. */
  override def rename(from: Path, to: Path): Boolean =
    try {
      if (Files.isDirectory(file(from))) Files.move(file(from), file(to))
      else {
        Files.createLink(file(to), file(from))
        Files.delete(file(from))
      }
      true
    } catch {
      case _: FileAlreadyExistsException => false
      case e: NoSuchFileException        => throw new FileNotFoundException(e.getMessage)
    }

  /** Counts from 0, as some do. */
  override def append(path: Path, bufferBytes: Int, progress: Progressable): FSDataOutputStream =
    there(new FSDataOutputStream(Files.newOutputStream(file(path), WRITE, APPEND), statistics))

  override def truncate(path: Path, bytes: Long): Boolean = there {
    val channel = FileChannel.open(file(path), WRITE)
    try channel.truncate(bytes)
    finally channel.close()
    true
  }

  protected def file(path: Path): File = pathToFile(path).toPath

  protected def unsupported(what: String): Nothing =
    throw new UnsupportedOperationException(s"Not implemented by the file system of $scheme: $what")

  private def there[A](action: => A): A =
    try action
    catch { case e: NoSuchFileException => throw new FileNotFoundException(e.getMessage) }
}

/** Appends and cuts. */
class CuttingFs extends DirectoryFs("cutting")

/** Counts the trials of each directory. */
class TriedFs extends DirectoryFs("tried") {
  override def rename(from: Path, to: Path): Boolean = {
    if (to.getName.startsWith(".trial.")) TriedFs.renamed.add(to)
    super.rename(from, to)
  }
}

object TriedFs {
  private val renamed = new ConcurrentLinkedQueue[Path]

  /** The renames of all trials below a directory. */
  def trials(directory: String): Int =
    renamed.asScala.count(_.toUri.getPath.startsWith(new Path(directory).toUri.getPath))
}

/** The first look at a directory fails, as if the connection were lost. */
class UnsteadyFs extends DirectoryFs("unsteady") {
  override def exists(path: Path): Boolean = UnsteadyFs.looking(path)(super.exists(path))

  override def getFileStatus(path: Path): FileStatus = UnsteadyFs.looking(path)(super.getFileStatus(path))
}

object UnsteadyFs {

  /** The path of the directory, without a scheme. */
  @volatile var failing: Option[String] = None

  private def looking[A](path: Path)(look: => A): A =
    if (failing.contains(path.toUri.getPath)) {
      failing = None
      throw new IOException(s"$path: Connection reset by peer")
    } else look
}

/** As object stores that have an append. */
class AppendOnlyFs extends DirectoryFs("appendonly") {
  override def truncate(path: Path, bytes: Long): Boolean = unsupported("truncate")
}
