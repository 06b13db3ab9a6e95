// SPDX-License-Identifier: Apache-2.0
package example

import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.file.StandardOpenOption.{CREATE_NEW, WRITE}
import java.nio.file.{FileAlreadyExistsException, Files, NoSuchFileException, Path}
import java.util.UUID

import scala.jdk.CollectionConverters._
import scala.util.Using

import stoplog.storage.{NoFiles, PutOutcome}
import stoplog.log.{LogFiles, VisibleNote}

/** The records of a log on a directory whose links are atomic: written elsewhere, and then given their name. */
final class LinkedRecords(directory: String) extends LogFiles(NoFiles, "main") {

  override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = linked(record(seq), bytes)

  override def read(seq: Long): Option[Array[Byte]] =
    try Some(Files.readAllBytes(record(seq)))
    catch { case _: NoSuchFileException => None }

  override def list(): Vector[Long] =
    if (!Files.isDirectory(folder)) Vector.empty
    else
      Using.resource(Files.list(folder)) { found =>
        found.iterator.asScala.map(_.getFileName.toString).flatMap(_.toLongOption).toVector.sorted
      }

  /** The mark first: a mark without its record would be taken for that of the next record of this number. */
  override def delete(seq: Long): Unit = {
    Files.deleteIfExists(mark(seq))
    Iterator.from(0).takeWhile(number => Files.deleteIfExists(note(seq, number))).foreach(_ => ())
    Files.deleteIfExists(record(seq))
    ()
  }

  override def markPublished(seq: Long): PutOutcome =
    try {
      Files.createFile(mark(seq))
      PutOutcome.Created
    } catch { case _: FileAlreadyExistsException => PutOutcome.Taken }

  override def isPublished(seq: Long): Boolean = Files.exists(mark(seq))

  override def noteVisible(seq: Long, number: Int, paths: Set[String]): PutOutcome =
    linked(note(seq, number), VisibleNote.encode(paths))

  override def visible(seq: Long, number: Int): Option[Set[String]] =
    try Some(VisibleNote.decode(Files.readAllBytes(note(seq, number))))
    catch { case _: NoSuchFileException => None }

  override def describe(seq: Long): String = record(seq).toString

  private def folder: Path            = Path.of(directory)
  private def record(seq: Long): Path = folder.resolve(f"$seq%020d")
  private def mark(seq: Long): Path   = folder.resolve(f"$seq%020d.published")

  private def note(seq: Long, number: Int): Path = folder.resolve(f"$seq%020d.visible-$number")

  private def linked(file: Path, bytes: Array[Byte]): PutOutcome = {
    val whole = write(Files.createDirectories(folder).resolve(s"new-${UUID.randomUUID()}"), bytes)
    try {
      Files.createLink(file, whole)
      PutOutcome.Created
    } catch { case _: FileAlreadyExistsException => PutOutcome.Taken }
    finally Files.delete(whole)
  }

  /** Durable before it has its name. */
  private def write(file: Path, bytes: Array[Byte]): Path = {
    Using.resource(FileChannel.open(file, CREATE_NEW, WRITE)) { channel =>
      val left = ByteBuffer.wrap(bytes)
      while (left.hasRemaining) channel.write(left)
      channel.force(true)
    }
    file
  }
}
