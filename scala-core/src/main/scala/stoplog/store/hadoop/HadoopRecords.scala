// SPDX-License-Identifier: Apache-2.0
package stoplog.store.hadoop

import org.apache.hadoop.fs.{FileAlreadyExistsException, Path}

import stoplog.fault.{Faults, Step}
import stoplog.log.{PutOutcome, RecordStore, VisibleNote}

/** Records as files `<20 digits>.json`, each made by a step that the file system gets done for one caller alone (I6).
  * A mark is an empty file `<20 digits>.published`, a note of what is visible `<20 digits>.visible`.
  *
  * @param exclusion that step; not asked for before a record is written
  */
final class HadoopRecords(
    files: HadoopFiles,
    sinkId: String,
    durability: HadoopDurability,
    faults: Faults,
    exclusion: => Exclusion = Exclusion.ByRename
) extends RecordStore
    with Serializable {

  override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome =
    once.create(record(seq), s"record-$seq", bytes)(faults.at(Step.RecordWritten))

  override def read(seq: Long): Option[Array[Byte]] = files.writing(record(seq))(files.read(record(seq)))

  override def list(): Vector[Long] = files.writing(directory) {
    files.list(directory).map(_.getPath.getName).collect { case HadoopRecords.Name(seq) => seq.toLong }.sorted
  }

  override def delete(seq: Long): Unit = files.writing(record(seq)) {
    files.delete(mark(seq))
    files.delete(note(seq))
    files.delete(record(seq))
  }

  override def markPublished(seq: Long): PutOutcome = files.writing(mark(seq)) {
    try {
      files.createEmpty(mark(seq))
      PutOutcome.Created
    } catch { case _: FileAlreadyExistsException => PutOutcome.Taken }
  }

  override def isPublished(seq: Long): Boolean = files.writing(mark(seq))(files.status(mark(seq)).isDefined)

  override def noteVisible(seq: Long, paths: Set[String]): Unit = files.writing(note(seq)) {
    files.delete(note(seq))
    val out = files.createThere(note(seq))
    try out.write(VisibleNote.encode(paths))
    finally out.close()
  }

  override def visible(seq: Long): Set[String] =
    files.writing(note(seq))(files.read(note(seq))).fold(Set.empty[String])(VisibleNote.decode)

  override def describe(seq: Long): String = record(seq).toString

  private def directory: Path         = files.at(s"_stoplog/$sinkId/log")
  private def record(seq: Long): Path = files.at(f"_stoplog/$sinkId/log/$seq%020d.json")
  private def mark(seq: Long): Path   = files.at(f"_stoplog/$sinkId/log/$seq%020d.published")
  private def note(seq: Long): Path   = files.at(f"_stoplog/$sinkId/log/$seq%020d.visible")

  private def once = new HadoopOnce(files, s"_stoplog/$sinkId/open", durability, exclusion)
}

private object HadoopRecords {
  private val Name = """(\d{20})\.json""".r
}
