// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import java.io.OutputStream
import java.nio.file.StandardCopyOption.{ATOMIC_MOVE, REPLACE_EXISTING}
import java.nio.file.{FileAlreadyExistsException, Files, Path => File}

import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.fs.{FSDataOutputStream, FileAlreadyExistsException => Taken, LeaseRecoverable, Path}
import org.apache.hadoop.util.Progressable

/** As object stores: a file is there once its writer has closed it, and is never changed again. A rename replaces. */
abstract class ObjectFs(scheme: String) extends DirectoryFs(scheme) {

  /** Puts the whole file under its name. */
  protected def store(written: File, target: File, overwrite: Boolean): Unit

  override def append(path: Path, bufferBytes: Int, progress: Progressable): FSDataOutputStream =
    unsupported("append")

  override def truncate(path: Path, bytes: Long): Boolean = unsupported("truncate")

  override def rename(from: Path, to: Path): Boolean = Files.exists(file(from)) && {
    replace(file(from), file(to))
    true
  }

  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferBytes: Int,
      replication: Short,
      blockBytes: Long,
      progress: Progressable
  ): FSDataOutputStream = create(path, overwrite, bufferBytes, replication, blockBytes, progress)

  override def create(
      path: Path,
      overwrite: Boolean,
      bufferBytes: Int,
      replication: Short,
      blockBytes: Long,
      progress: Progressable
  ): FSDataOutputStream = {
    val written = Files.createTempFile("stoplog-object", ".upload")
    new FSDataOutputStream(new Upload(written, file(path), overwrite), statistics)
  }

  protected def replace(from: File, to: File): Unit = {
    Files.createDirectories(to.getParent)
    Files.move(from, to, REPLACE_EXISTING, ATOMIC_MOVE)
    ()
  }

  private final class Upload(written: File, target: File, overwrite: Boolean) extends OutputStream {
    private val bytes  = Files.newOutputStream(written)
    private var stored = false

    override def write(byte: Int): Unit                                      = bytes.write(byte)
    override def write(content: Array[Byte], offset: Int, length: Int): Unit =
      bytes.write(content, offset, length)

    override def close(): Unit = if (!stored) {
      stored = true
      bytes.close()
      try store(written, target, overwrite)
      finally Files.deleteIfExists(written)
      ()
    }
  }
}

/** An object store with conditional writes. */
class CreateOnlyFs extends ConditionalFs("createonly")

/** As [[CreateOnlyFs]], with leases like HDFS. */
class LeasedFs extends ConditionalFs("leased") with LeaseRecoverable {
  override def recoverLease(file: Path): Boolean = true
  override def isFileClosed(file: Path): Boolean = true

  override def hasPathCapability(path: Path, capability: String): Boolean = false
}

abstract class ConditionalFs(scheme: String) extends ObjectFs(scheme) {
  override protected def store(written: File, target: File, overwrite: Boolean): Unit =
    if (overwrite) replace(written, target)
    else {
      Files.createDirectories(target.getParent)
      try Files.createLink(target, written)
      catch { case e: FileAlreadyExistsException => throw new Taken(e.getMessage) }
      ()
    }
}

/** An object store where the last writer wins, whatever it was asked. */
class NoExclusiveCreateFs extends ObjectFs("lastwins") {
  override protected def store(written: File, target: File, overwrite: Boolean): Unit =
    replace(written, target)
}
