// SPDX-License-Identifier: Apache-2.0
package stoplog.store.s3

import java.io.IOException

import stoplog.log.{PutOutcome, RecordStore, VisibleNote}
import stoplog.store.hadoop.HadoopFiles

/** Records as objects `<20 digits>.json`, each made by one conditional PUT (I6); a mark is an empty object
  * `<20 digits>.published`, a note of what is visible `<20 digits>.visible`.
  */
final class S3Records(files: HadoopFiles, sinkId: String) extends RecordStore with Serializable {
  private val objects = new S3Objects(files)

  /** The SDK asks again when an answer is lost, and is then told that the record is there: by its own first try.
    * So finding the very same bytes leaves the outcome unknown, and reading them back decides.
    */
  override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = io(record(seq)) {
    if (objects.putIfAbsent(record(seq), bytes)) PutOutcome.Created
    else if (objects.read(record(seq)).exists(_.sameElements(bytes)))
      throw new IOException("the same record is there already")
    else PutOutcome.Taken
  }

  override def read(seq: Long): Option[Array[Byte]] = io(record(seq))(objects.read(record(seq)))

  override def list(): Vector[Long] = io(directory) {
    objects.list(directory).flatMap { case (path, _) => seqOf(path) }.sorted
  }

  /** Looks at the next place alone, which is not a listing for every task. Whoever slept until that was trimmed is not
    * noticed, and spoils nothing: what it stages has names of its own.
    */
  override def newerThan(seq: Long): Option[Long] = io(record(seq + 1)) {
    Option.when(objects.exists(record(seq + 1)))(seq + 1)
  }

  override def delete(seq: Long): Unit = io(record(seq)) {
    objects.delete(Seq(mark(seq), note(seq), record(seq)))
  }

  override def markPublished(seq: Long): PutOutcome = io(mark(seq)) {
    if (objects.putIfAbsent(mark(seq), Array.emptyByteArray)) PutOutcome.Created else PutOutcome.Taken
  }

  override def isPublished(seq: Long): Boolean = io(mark(seq))(objects.size(mark(seq)).isDefined)

  override def noteVisible(seq: Long, paths: Set[String]): Unit =
    io(note(seq))(objects.put(note(seq), VisibleNote.encode(paths)))

  override def visible(seq: Long): Set[String] =
    io(note(seq))(objects.read(note(seq))).fold(Set.empty[String])(VisibleNote.decode)

  override def describe(seq: Long): String = objects.describe(record(seq))

  private def directory: String         = s"_stoplog/$sinkId/log"
  private def record(seq: Long): String = f"$directory/$seq%020d.json"
  private def mark(seq: Long): String   = f"$directory/$seq%020d.published"
  private def note(seq: Long): String   = f"$directory/$seq%020d.visible"

  private def seqOf(path: String): Option[Long] = path.stripPrefix(s"$directory/") match {
    case S3Records.Name(digits) => Some(digits.toLong)
    case _                      => None
  }

  private def io[A](path: String)(action: => A): A = files.writing(files.at(path))(action)
}

object S3Records {

  /** What `hasPathCapability` must say of the path. */
  val Ability: String = S3Objects.ConditionalCreate

  private val Name = """(\d{20})\.json""".r
}
