// SPDX-License-Identifier: Apache-2.0
package stoplog.store.local

import java.nio.file.{FileAlreadyExistsException, Files, Path, Paths}

import stoplog.fault.{Faults, Step}
import stoplog.log.{PutOutcome, RecordStore, VisibleNote}
import stoplog.store.RecordNames

/** Records as files, each written elsewhere first and then linked into place, which is atomic and never replaces
  * anything (I6). [[RecordNames]] names them. A mark is an empty file `<20 digits>.published`, notes of what is
  * visible `<20 digits>.visible`, `.visible-1` and so on.
  */
final class LocalRecords(root: String, sinkId: String, durability: Durability, faults: Faults)
    extends RecordStore
    with Serializable {
  @transient private lazy val once = onceOf(durability)
  // A power loss may take a note.
  @transient private lazy val notes = onceOf(Durability.Process)
  private val names                 = new RecordNames

  override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = {
    val name = LocalFiles.writing(directory)(names.toCreate(seq)(name => LocalFiles.exists(at(name))))
    once.create(at(name), s"record-$seq", bytes)(faults.at(Step.RecordWritten))
  }

  override def read(seq: Long): Option[Array[Byte]] = records(seq).iterator.flatMap(once.read(_)).nextOption()

  /** Its bytes are, before it has a name. */
  override def makeDurable(seq: Long): Unit =
    LocalFiles.writing(directory)(durability.syncDirectory(directory))

  override def list(): Vector[Long] =
    names.listed(LocalFiles.writing(directory)(LocalFiles.list(directory)).map(_.getFileName.toString))

  override def delete(seq: Long): Unit = LocalFiles.writing(directory) {
    (mark(seq) +: (names.notes(seq).map(at) ++ records(seq))).foreach(Files.deleteIfExists(_))
  }

  override def markPublished(seq: Long): PutOutcome = LocalFiles.writing(mark(seq)) {
    try {
      Files.createFile(mark(seq))
      PutOutcome.Created
    } catch { case _: FileAlreadyExistsException => PutOutcome.Taken }
  }

  override def isPublished(seq: Long): Boolean = LocalFiles.writing(mark(seq))(LocalFiles.exists(mark(seq)))

  override def noteVisible(seq: Long, number: Int, paths: Set[String]): PutOutcome =
    notes.create(note(seq, number), s"visible-$seq", VisibleNote.encode(paths))(())

  override def visible(seq: Long, number: Int): Option[Set[String]] =
    notes.read(note(seq, number)).map(VisibleNote.decode)

  override def describe(seq: Long): String = records(seq).head.toString

  private def directory: Path               = Paths.get(root, "_stoplog", sinkId, "log")
  private def at(name: String): Path        = directory.resolve(name)
  private def records(seq: Long): Seq[Path] = names.of(seq).map(at)
  private def mark(seq: Long): Path         = at(f"$seq%020d.published")

  private def note(seq: Long, number: Int): Path = at(RecordNames.note(seq, number))

  private def onceOf(durability: Durability) =
    new LocalOnce(Paths.get(root, "_stoplog", sinkId, "open"), durability)
}
