// SPDX-License-Identifier: Apache-2.0
package stoplog.announce

/** A change of the files of a path that readers can see, or a note about changes that are not announced.
  *
  * An announcement is derived from one record of a log and the outcome of the record. Announcements of one
  * log have the order of their ids. Logs of one path are independent of each other.
  *
  * @param id              the identity: a repeated announcement has the same id
  * @param path            the path of the sink, as written by the user
  * @param sinkId          the name of the sink
  * @param change          the change
  * @param decidedAtMillis the time of the decision in milliseconds since 1970-01-01T00:00:00Z
  * @param epoch           the epoch of the query; `None` for changes between epochs and of batch jobs
  */
final case class Announcement(
    id: AnnouncementId,
    path: String,
    sinkId: String,
    change: Change,
    decidedAtMillis: Long,
    epoch: Option[Long] = None
)

/** The log of a stream, of a batch job, or of all replacing jobs of a path.
  *
  * @param name     the name of the log under the path: the id of the sink, `batch-` and the id of a job, or
  *                 `replace`
  * @param identity a UUID, created with the first record. Sequences restart when a log is deleted, and the
  *                 new log has another identity
  */
final case class LogId(name: String, identity: String) {
  override def toString: String = s"$name/$identity"
}

/** The identity of an announcement.
  *
  * @param sequence the number of the record in the log
  * @param number   the place among the announcements of the record, from 0
  */
final case class AnnouncementId(log: LogId, sequence: Long, number: Int) {

  /** Returns whether this announcement follows `other` in the same log. */
  def isAfter(other: AnnouncementId): Boolean =
    sequence > other.sequence || sequence == other.sequence && number > other.number

  /** Returns the text `<log name>/<identity>/<sequence>/<number>`, unique for all logs. */
  override def toString: String = s"$log/$sequence/$number"
}

/** A visible file.
  *
  * @param path  relative to the path of the sink, with `/` between names
  * @param rows  `None` if unknown, as in a [[Change.Snapshot]] and after the compaction of a directory
  * @param bytes the length of the file
  * @param times the earliest and the latest time of the sink's time column, in ISO 8601, if known
  */
final case class AnnouncedFile(path: String, rows: Option[Long], bytes: Long, times: Option[TimeRange] = None)

/** @param min the earliest time, in ISO 8601
  * @param max the latest time, in ISO 8601
  */
final case class TimeRange(min: String, max: String)

/** A change of one bucket. A bucket is a directory under the path of the sink; the path itself is `""`. */
sealed abstract class Change(val word: String) extends Product with Serializable {

  /** Returns the bucket, if the change has one: the key for the order of messages. */
  def bucket: Option[String]
}

object Change {

  /** New files are visible. */
  final case class Added(in: String, files: Vector[AnnouncedFile]) extends Change("added") {
    override def bucket: Option[String] = Some(in)
  }

  /** New files are visible in place of former files.
    *
    * @param replaced the paths of the former files
    */
  final case class Replaced(in: String, files: Vector[AnnouncedFile], replaced: Vector[String])
      extends Change("replaced") {
    override def bucket: Option[String] = Some(in)
  }

  /** Files are gone.
    *
    * @param removed the paths of these files
    */
  final case class Removed(in: String, removed: Vector[String]) extends Change("removed") {
    override def bucket: Option[String] = Some(in)
  }

  /** The rule of `bucketComplete` expects no more rows in the bucket. Follows the announcement of the files.
    *
    * @param version 1 for the first completion, incremented each time late rows have arrived
    */
  final case class PartitionComplete(in: String, version: Int) extends Change("partition complete") {
    override def bucket: Option[String] = Some(in)
  }

  /** The records up to `last` are not announced, because the backlog has exceeded its limit. A target must
    * list the path to know the files.
    *
    * @param first the first record without announcements
    * @param last  the last record without announcements
    */
  final case class Gap(first: Long, last: Long) extends Change("gap") {
    override def bucket: Option[String] = None
  }

  /** All visible files of the bucket at one moment: the first announcements of a new target, on demand. */
  final case class Snapshot(in: String, files: Vector[AnnouncedFile]) extends Change("snapshot") {
    override def bucket: Option[String] = Some(in)
  }
}
