// SPDX-License-Identifier: Apache-2.0
package stoplog.format.sequence

import java.net.URI

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs._
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable

/** A file of which there is only the header to read, and a stream to append to.
  *
  * That is all that Hadoop's writer asks of the file that it goes on with, and all that can be had of a part: stores
  * give no reading, and what was written is not behind any of Hadoop's file systems anyway.
  */
private[sequence] final class HeaderFile(header: Array[Byte], out: FSDataOutputStream) extends Path("/part") {

  override def getFileSystem(conf: Configuration): FileSystem = new HeaderFileSystem(header, out, conf)
}

private final class HeaderFileSystem(
    header: Array[Byte],
    out: FSDataOutputStream,
    configuration: Configuration
) extends FileSystem {

  setConf(configuration)

  override def getUri: URI = URI.create("header:///")

  override def getFileStatus(path: Path): FileStatus =
    new FileStatus(header.length.toLong, false, 1, header.length.toLong, 0, path)

  override def open(path: Path, bufferSize: Int): FSDataInputStream =
    new FSDataInputStream(new HeaderInput(header))

  override def append(path: Path, bufferSize: Int, progress: Progressable): FSDataOutputStream = out

  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream = refuse()

  override def rename(from: Path, to: Path): Boolean                 = refuse()
  override def delete(path: Path, recursive: Boolean): Boolean       = refuse()
  override def listStatus(path: Path): Array[FileStatus]             = refuse()
  override def mkdirs(path: Path, permission: FsPermission): Boolean = refuse()
  override def setWorkingDirectory(path: Path): Unit                 = refuse()
  override def getWorkingDirectory: Path                             = new Path("/")

  private def refuse(): Nothing = throw new UnsupportedOperationException("a header can only be read")
}

private final class HeaderInput(header: Array[Byte]) extends FSInputStream {

  private var at = 0

  override def getPos: Long = at.toLong

  override def seek(position: Long): Unit = at = math.toIntExact(position)

  override def seekToNewSource(position: Long): Boolean = false

  override def read(): Int =
    if (at == header.length) -1
    else {
      at += 1
      header(at - 1) & 0xff
    }
}
