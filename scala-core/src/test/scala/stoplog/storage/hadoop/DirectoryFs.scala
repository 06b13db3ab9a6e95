// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import java.io.FileNotFoundException
import java.net.URI
import java.nio.channels.FileChannel
import java.nio.file.StandardOpenOption.{APPEND, WRITE}
import java.nio.file.{FileAlreadyExistsException, Files, NoSuchFileException, Path => File}

import org.apache.hadoop.fs.{FSDataOutputStream, Path}
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

/** As object stores that have an append. */
class AppendOnlyFs extends DirectoryFs("appendonly") {
  override def truncate(path: Path, bytes: Long): Boolean = unsupported("truncate")
}
