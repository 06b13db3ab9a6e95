// SPDX-License-Identifier: Apache-2.0
package stoplog.store.local

import java.nio.file.{FileAlreadyExistsException, Files, Path, Paths}

import stoplog.fault.{Faults, Step}
import stoplog.log.{PutOutcome, RecordStore, VisibleNote}

/** Records as files `<20 digits>.json`, each written elsewhere first and then linked into place, which is atomic
  * and never replaces anything (I6). A mark is an empty file `<20 digits>.published`, a note of what is visible
  * `<20 digits>.visible`.
  */
final class LocalRecords(root: String, sinkId: String, durability: Durability, faults: Faults)
    extends RecordStore
    with Serializable {
  @transient private lazy val once = new LocalOnce(Paths.get(root, "_stoplog", sinkId, "open"), durability)

  override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome =
    once.create(record(seq), s"record-$seq", bytes)(faults.at(Step.RecordWritten))

  override def read(seq: Long): Option[Array[Byte]] = once.read(record(seq))

  /** Its bytes are, before it has a name. */
  override def makeDurable(seq: Long): Unit =
    LocalFiles.writing(record(seq))(durability.syncDirectory(directory))

  override def list(): Vector[Long] =
    LocalFiles.writing(directory)(LocalFiles.list(directory)).flatMap(seqOf).sorted

  override def delete(seq: Long): Unit = LocalFiles.writing(record(seq)) {
    Files.deleteIfExists(mark(seq))
    Files.deleteIfExists(note(seq))
    Files.deleteIfExists(record(seq))
    ()
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

  override def describe(seq: Long): String = record(seq).toString

  private def directory: Path         = Paths.get(root, "_stoplog", sinkId, "log")
  private def record(seq: Long): Path = directory.resolve(f"$seq%020d.json")
  private def mark(seq: Long): Path   = directory.resolve(f"$seq%020d.published")
  private def note(seq: Long): Path   = directory.resolve(f"$seq%020d.visible")

  private def seqOf(path: Path): Option[Long] = path.getFileName.toString match {
    case LocalRecords.Name(digits) => Some(digits.toLong)
    case _                         => None
  }
}

private object LocalRecords {
  private val Name = """(\d{20})\.json""".r
}
