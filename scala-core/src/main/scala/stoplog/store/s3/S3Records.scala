// SPDX-License-Identifier: Apache-2.0
package stoplog.store.s3

import java.io.IOException

import stoplog.log.{PutOutcome, RecordStore, VisibleNote}
import stoplog.store.RecordNames
import stoplog.store.hadoop.HadoopFiles

/** Records as objects, each made by one conditional PUT (I6). [[RecordNames]] names them. A mark is an empty object
  * `<20 digits>.published`, notes of what is visible `<20 digits>.visible`, `.visible-1`
  * and so on.
  */
final class S3Records(files: HadoopFiles, sinkId: String) extends RecordStore with Serializable {
  private val objects = new S3Objects(files)
  private val names   = new RecordNames

  /** The SDK asks again when an answer is lost, and is then told that the record is there: by its own first try.
    * So finding the very same bytes leaves the outcome unknown, and reading them back decides.
    */
  override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = io(directory) {
    val record = at(names.toCreate(seq)(name => objects.exists(at(name))))
    if (objects.putIfAbsent(record, bytes)) PutOutcome.Created
    else if (objects.read(record).exists(_.sameElements(bytes)))
      throw new IOException("the same record is there already")
    else PutOutcome.Taken
  }

  override def read(seq: Long): Option[Array[Byte]] =
    records(seq).iterator.flatMap(record => io(record)(objects.read(record))).nextOption()

  override def list(): Vector[Long] = io(directory) {
    names.listed(objects.list(directory).map { case (path, _) => path.stripPrefix(s"$directory/") })
  }

  /** Looks at the next place alone, which is not a listing for every task. Whoever slept until that was trimmed is not
    * noticed, nor is a late task in a log with the names of an earlier version. Neither spoils anything: what it stages
    * has names of its own.
    */
  override def newerThan(seq: Long): Option[Long] = io(directory) {
    Option.when(objects.exists(records(seq + 1).head))(seq + 1)
  }

  override def delete(seq: Long): Unit = io(directory) {
    objects.delete(mark(seq) +: (names.notes(seq).map(at) ++ records(seq)))
  }

  override def markPublished(seq: Long): PutOutcome = io(mark(seq)) {
    if (objects.putIfAbsent(mark(seq), Array.emptyByteArray)) PutOutcome.Created else PutOutcome.Taken
  }

  override def isPublished(seq: Long): Boolean = io(mark(seq))(objects.size(mark(seq)).isDefined)

  override def noteVisible(seq: Long, number: Int, paths: Set[String]): PutOutcome = io(note(seq, number)) {
    if (objects.putIfAbsent(note(seq, number), VisibleNote.encode(paths))) PutOutcome.Created
    else PutOutcome.Taken
  }

  override def visible(seq: Long, number: Int): Option[Set[String]] =
    io(note(seq, number))(objects.read(note(seq, number))).map(VisibleNote.decode)

  override def describe(seq: Long): String = objects.describe(records(seq).head)

  private def directory: String               = s"_stoplog/$sinkId/log"
  private def at(name: String): String        = s"$directory/$name"
  private def records(seq: Long): Seq[String] = names.of(seq).map(at)
  private def mark(seq: Long): String         = at(f"$seq%020d.published")

  private def note(seq: Long, number: Int): String = at(RecordNames.note(seq, number))

  private def io[A](path: String)(action: => A): A = files.writing(files.at(path))(action)
}

object S3Records {

  /** What `hasPathCapability` must say of the path. */
  val Ability: String = S3Objects.ConditionalCreate
}
