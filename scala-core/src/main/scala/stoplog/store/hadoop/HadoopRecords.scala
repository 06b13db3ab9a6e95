package stoplog.store.hadoop

import java.io.IOException
import java.util.UUID

import org.apache.hadoop.fs.{FileAlreadyExistsException, Path}

import stoplog.fault.{Faults, Step}
import stoplog.log.{PutOutcome, RecordStore}

/** Records as files `<20 digits>.json`, each made by a step that the file system gets done for one caller alone (I6).
  * A mark is an empty file `<20 digits>.published`.
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

  override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = files.writing(record(seq)) {
    exclusion match {
      case Exclusion.ByRename => renamed(seq, bytes)
      case Exclusion.ByCreate =>
        if (files.status(record(seq)).isDefined) PutOutcome.Taken else created(seq, bytes)
    }
  }

  override def read(seq: Long): Option[Array[Byte]] = files.writing(record(seq))(files.read(record(seq)))

  override def list(): Vector[Long] = files.writing(directory) {
    files.list(directory).map(_.getPath.getName).collect { case HadoopRecords.Name(seq) => seq.toLong }.sorted
  }

  override def delete(seq: Long): Unit = files.writing(record(seq)) {
    files.delete(mark(seq))
    files.delete(record(seq))
  }

  override def markPublished(seq: Long): Unit = files.writing(mark(seq)) {
    try files.createEmpty(mark(seq))
    catch { case _: FileAlreadyExistsException => () }
  }

  override def isPublished(seq: Long): Boolean = files.writing(mark(seq))(files.status(mark(seq)).isDefined)

  override def describe(seq: Long): String = record(seq).toString

  private def directory: Path              = files.at(s"_stoplog/$sinkId/log")
  private def record(seq: Long): Path      = files.at(f"_stoplog/$sinkId/log/$seq%020d.json")
  private def mark(seq: Long): Path        = files.at(f"_stoplog/$sinkId/log/$seq%020d.published")
  private def workshop(name: String): Path = files.at(s"_stoplog/$sinkId/open/$name")

  /** Written elsewhere first, so that nobody sees half of it. */
  private def renamed(seq: Long, bytes: Array[Byte]): PutOutcome = {
    val written = workshop(s".record-$seq.${UUID.randomUUID()}") // a crash leaves an orphan to be swept
    write(written, bytes)
    faults.at(Step.RecordWritten)
    files.renameInto(written, record(seq)) match {
      case Renamed.Done        => PutOutcome.Created
      case Renamed.TargetThere =>
        files.delete(written)
        PutOutcome.Taken
      case Renamed.SourceGone | Renamed.NoDirectory =>
        throw new java.io.FileNotFoundException(s"$written was removed before it became a record")
    }
  }

  /** A client that asks again when an answer is lost is refused for the sake of its own first try: so it is not the
    * refusal that tells whose record it is, but its bytes.
    */
  private def created(seq: Long, bytes: Array[Byte]): PutOutcome =
    try {
      val out = files.createAlone(record(seq))
      out.write(bytes)
      faults.at(Step.RecordWritten)
      out.close()
      PutOutcome.Created
    } catch {
      case e: IOException =>
        files.read(record(seq)) match {
          case Some(found) if found.sameElements(bytes) => PutOutcome.Created
          case Some(_)                                  => PutOutcome.Taken
          case None                                     => throw e
        }
    }

  private def write(path: Path, bytes: Array[Byte]): Unit = {
    val out = files.create(path)
    try {
      out.write(bytes)
      durability.flush(out)
    } finally out.close()
  }
}

private object HadoopRecords {
  private val Name = """(\d{20})\.json""".r
}
