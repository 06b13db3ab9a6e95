package stoplog.store.local

import java.io.{IOException, RandomAccessFile}
import java.nio.file.{FileAlreadyExistsException, Files, Path, Paths}
import java.util.UUID

import stoplog.error.Errors
import stoplog.fault.{Faults, Step}
import stoplog.log.{PutOutcome, RecordStore}

/** Records as files `<20 digits>.json`, each written elsewhere first and then linked into place, which is atomic
  * and never replaces anything (I6). A mark is an empty file `<20 digits>.published`.
  */
final class LocalRecords(root: String, sinkId: String, durability: Durability, faults: Faults)
    extends RecordStore
    with Serializable {

  override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = LocalFiles.writing(record(seq)) {
    Durability.createDirectories(directory, durability)
    Durability.createDirectories(workshop, durability)
    val written =
      workshop.resolve(s".record-$seq.${UUID.randomUUID()}") // a crash leaves an orphan to be swept
    try {
      write(written, bytes)
      faults.at(Step.RecordWritten)
      Files.createLink(record(seq), written)
      durability.syncDirectory(directory)
      PutOutcome.Created
    } catch {
      case _: FileAlreadyExistsException => PutOutcome.Taken
    } finally Files.deleteIfExists(written)
  }

  override def read(seq: Long): Option[Array[Byte]] =
    try {
      val file = new RandomAccessFile(record(seq).toFile, "r") // no channel: those end with an interrupt
      try {
        val bytes = new Array[Byte](file.length().toInt)
        file.readFully(bytes)
        Some(bytes)
      } finally file.close()
    } catch {
      case _: java.io.FileNotFoundException if !Files.exists(record(seq)) => None
      case e: IOException => throw Errors.storeWrite(record(seq).toString, String.valueOf(e.getMessage), e)
    }

  override def list(): Vector[Long] = LocalFiles.list(directory).flatMap(seqOf).sorted

  override def delete(seq: Long): Unit = LocalFiles.writing(record(seq)) {
    Files.deleteIfExists(mark(seq))
    Files.deleteIfExists(record(seq))
    ()
  }

  override def markPublished(seq: Long): Unit = LocalFiles.writing(mark(seq)) {
    try {
      Files.createFile(mark(seq))
      ()
    } catch { case _: FileAlreadyExistsException => () }
  }

  override def isPublished(seq: Long): Boolean = Files.exists(mark(seq))

  override def describe(seq: Long): String = record(seq).toString

  private def directory: Path         = Paths.get(root, "_stoplog", sinkId, "log")
  private def workshop: Path          = Paths.get(root, "_stoplog", sinkId, "open")
  private def record(seq: Long): Path = directory.resolve(f"$seq%020d.json")
  private def mark(seq: Long): Path   = directory.resolve(f"$seq%020d.published")

  private def seqOf(path: Path): Option[Long] = path.getFileName.toString match {
    case LocalRecords.Name(digits) => Some(digits.toLong)
    case _                         => None
  }

  private def write(path: Path, bytes: Array[Byte]): Unit = {
    val file = new RandomAccessFile(path.toFile, "rw")
    try {
      file.write(bytes)
      durability.sync(file)
    } finally file.close()
  }
}

private object LocalRecords {
  private val Name = """(\d{20})\.json""".r
}
