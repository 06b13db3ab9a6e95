// SPDX-License-Identifier: Apache-2.0
package stoplog.store.hadoop

import org.apache.hadoop.fs.{FileAlreadyExistsException, Path}

import stoplog.fault.{Faults, Step}
import stoplog.log.{PutOutcome, RecordStore, VisibleNote}
import stoplog.store.RecordNames

/** Records as files, each made by a step that the file system gets done for one caller alone (I6). [[RecordNames]]
  * names them. A mark is an empty file `<20 digits>.published`, notes of what is visible `<20 digits>.visible`, `.visible-1` and
  * so on.
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
  private val names = new RecordNames

  override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = {
    val name = files.writing(directory)(names.toCreate(seq)(name => files.status(at(name)).isDefined))
    once.create(at(name), s"record-$seq", bytes)(faults.at(Step.RecordWritten))
  }

  override def read(seq: Long): Option[Array[Byte]] =
    records(seq).iterator.flatMap(record => files.writing(record)(files.read(record))).nextOption()

  override def list(): Vector[Long] = names.listed(files.writing(directory) {
    files.list(directory).map(_.getPath.getName)
  })

  override def delete(seq: Long): Unit = files.writing(directory) {
    files.delete(mark(seq))
    names.notes(seq).map(at).foreach(files.delete)
    records(seq).foreach(files.delete)
  }

  override def markPublished(seq: Long): PutOutcome = files.writing(mark(seq)) {
    try {
      files.createEmpty(mark(seq))
      PutOutcome.Created
    } catch { case _: FileAlreadyExistsException => PutOutcome.Taken }
  }

  override def isPublished(seq: Long): Boolean = files.writing(mark(seq))(files.status(mark(seq)).isDefined)

  override def noteVisible(seq: Long, number: Int, paths: Set[String]): PutOutcome =
    once.create(note(seq, number), s"visible-$seq", VisibleNote.encode(paths))(())

  override def visible(seq: Long, number: Int): Option[Set[String]] =
    files.writing(note(seq, number))(files.read(note(seq, number))).map(VisibleNote.decode)

  override def describe(seq: Long): String = records(seq).head.toString

  private def directory: Path               = files.at(s"_stoplog/$sinkId/log")
  private def at(name: String): Path        = files.at(s"_stoplog/$sinkId/log/$name")
  private def records(seq: Long): Seq[Path] = names.of(seq).map(at)
  private def mark(seq: Long): Path         = at(f"$seq%020d.published")

  private def note(seq: Long, number: Int): Path = at(RecordNames.note(seq, number))

  private def once = new HadoopOnce(files, s"_stoplog/$sinkId/open", durability, exclusion)
}
