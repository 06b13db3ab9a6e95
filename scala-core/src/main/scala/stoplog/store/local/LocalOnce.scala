// SPDX-License-Identifier: Apache-2.0
package stoplog.store.local

import java.io.{FileNotFoundException, IOException, RandomAccessFile}
import java.nio.file.{FileAlreadyExistsException, Files, Path}
import java.util.UUID

import stoplog.error.Errors
import stoplog.log.PutOutcome

/** Small files, each written elsewhere first and then linked into place, which is atomic and never replaces anything
  * (I6).
  *
  * @param workshop on the same volume; a crash leaves an orphan there to be swept
  */
private[local] final class LocalOnce(workshop: Path, durability: Durability) {

  /** @param written called when the bytes are durable, and nobody can see them yet */
  def create(target: Path, kind: String, bytes: Array[Byte])(written: => Unit): PutOutcome =
    LocalFiles.writing(target) {
      Durability.createDirectories(target.getParent, durability)
      Durability.createDirectories(workshop, durability)
      val draft = workshop.resolve(s".$kind.${UUID.randomUUID()}")
      try {
        write(draft, bytes)
        written
        Files.createLink(target, draft)
        durability.syncDirectory(target.getParent)
        PutOutcome.Created
      } catch {
        case _: FileAlreadyExistsException => PutOutcome.Taken
      } finally Files.deleteIfExists(draft)
    }

  def read(path: Path): Option[Array[Byte]] =
    try {
      val file = new RandomAccessFile(path.toFile, "r") // no channel: those end with an interrupt
      try {
        val bytes = new Array[Byte](file.length().toInt)
        file.readFully(bytes)
        Some(bytes)
      } finally file.close()
    } catch {
      // which also says that there is one that may not be opened
      case e: FileNotFoundException if LocalFiles.writing(path)(LocalFiles.exists(path)) =>
        throw refused(path, e)
      case _: FileNotFoundException => None
      case e: IOException           => throw refused(path, e)
    }

  private def refused(path: Path, e: IOException): Throwable =
    Errors.storeWrite(path.toString, String.valueOf(e.getMessage), e)

  private def write(path: Path, bytes: Array[Byte]): Unit = {
    val file = new RandomAccessFile(path.toFile, "rw")
    try {
      file.write(bytes)
      durability.sync(file)
    } finally file.close()
  }
}
