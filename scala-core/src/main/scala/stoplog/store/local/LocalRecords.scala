// SPDX-License-Identifier: Apache-2.0
package stoplog.store.local

import java.nio.file.{FileAlreadyExistsException, Files, Path, Paths}

import stoplog.fault.{Faults, Step}
import stoplog.log.{PutOutcome, RecordStore, VisibleNote}
import stoplog.store.RecordNames

/** Records as files, each written elsewhere first and then linked into place, which is atomic and never replaces
  * anything (I6). [[RecordNames]] names them. A mark is an empty file `<20 digits>.published`, a note of what is visible
  * `<20 digits>.visible`.
  */
final class LocalRecords(root: String, sinkId: String, durability: Durability, faults: Faults)
    extends RecordStore
    with Serializable {
  @transient private lazy val once = new LocalOnce(Paths.get(root, "_stoplog", sinkId, "open"), durability)
  private val names                = new RecordNames

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
    (Seq(mark(seq), note(seq)) ++ records(seq)).foreach(Files.deleteIfExists(_))
  }

  override def markPublished(seq: Long): PutOutcome = LocalFiles.writing(mark(seq)) {
    try {
      Files.createFile(mark(seq))
      PutOutcome.Created
    } catch { case _: FileAlreadyExistsException => PutOutcome.Taken }
  }

  override def isPublished(seq: Long): Boolean = LocalFiles.writing(mark(seq))(LocalFiles.exists(mark(seq)))

  override def noteVisible(seq: Long, paths: Set[String]): Unit =
    once.replace(note(seq), s"visible-$seq", VisibleNote.encode(paths))

  override def visible(seq: Long): Set[String] =
    once.read(note(seq)).fold(Set.empty[String])(VisibleNote.decode)

  override def describe(seq: Long): String = records(seq).head.toString

  private def directory: Path               = Paths.get(root, "_stoplog", sinkId, "log")
  private def at(name: String): Path        = directory.resolve(name)
  private def records(seq: Long): Seq[Path] = names.of(seq).map(at)
  private def mark(seq: Long): Path         = at(f"$seq%020d.published")
  private def note(seq: Long): Path         = at(f"$seq%020d.visible")
}
