// SPDX-License-Identifier: Apache-2.0
package stoplog.store.local

import java.io.{
  BufferedInputStream, BufferedOutputStream, FileOutputStream, InputStream, OutputStream, RandomAccessFile
}
import java.nio.file.{Files, NoSuchFileException, Path}

import stoplog.error.Errors
import stoplog.part.SideFile
import stoplog.sink.Staged
import stoplog.store.{NewPart, SideStore}

/** Side files on a local, or everywhere mounted, file system. */
final class LocalSides(root: String, sinkId: String, durability: Durability)
    extends SideStore
    with Serializable {

  override def write(part: NewPart)(content: OutputStream => Unit): String = {
    val token = SideStore.token(sinkId, part)
    LocalFiles.writing(at(token)) {
      Durability.createDirectories(directory, durability)
      val file = new RandomAccessFile(at(token).toFile, "rw")
      try {
        val out = new BufferedOutputStream(new FileOutputStream(file.getFD), BufferBytes)
        content(out)
        out.flush()
        durability.sync(file)
      } finally file.close()
      durability.syncDirectory(directory)
    }
    token
  }

  override def read(file: SideFile): InputStream = LocalFiles.writing(at(file.token)) {
    val path = at(file.token)
    val in   =
      try Files.newInputStream(path)
      catch { case _: NoSuchFileException => throw Errors.partShort(path.toString, 0, file.sizeBytes) }
    val actual = Files.size(path)
    if (actual < file.sizeBytes) {
      in.close()
      throw Errors.partShort(path.toString, actual, file.sizeBytes)
    }
    new BufferedInputStream(in, BufferBytes)
  }

  override def staged(): Vector[Staged] = LocalFiles.writing(directory) {
    for {
      path   <- LocalFiles.list(directory)
      millis <- LocalFiles.modifiedMillis(path)
    } yield Staged(s"${SideStore.directory(sinkId)}/${path.getFileName}", millis)
  }

  override def discard(tokens: Seq[String]): Unit = tokens.foreach { token =>
    LocalFiles.writing(at(token))(Files.deleteIfExists(at(token)))
  }

  private def directory: Path         = at(SideStore.directory(sinkId))
  private def at(token: String): Path = LocalFiles.below(root, token)

  private final val BufferBytes = 64 << 10
}
