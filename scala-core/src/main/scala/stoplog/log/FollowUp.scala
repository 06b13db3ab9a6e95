// SPDX-License-Identifier: Apache-2.0
package stoplog.log

/** The work to be done once the parts of a record are visible. The record decides it as it decides them (I3), with all
  * that it takes: each process that carries it out, and however often, writes the same bytes.
  *
  * @param manifest the list of the record's files, if one is to be written
  * @param markers  the buckets that are complete
  */
final case class FollowUp(manifest: Option[Manifest], markers: Vector[Marker]) {
  def isEmpty: Boolean = manifest.isEmpty && markers.isEmpty
}

object FollowUp {
  val nothing: FollowUp = FollowUp(None, Vector.empty)
}

/** @param path   of the list, under the sink's path
  * @param column whose times the parts know, if there is one
  */
final case class Manifest(path: String, column: Option[TimeColumn])

/** A column from which buckets take their time. */
final case class TimeColumn(name: String, kind: TimeKind)

/** The kind of values in a time column. */
sealed abstract class TimeKind(val word: String) extends Product with Serializable

object TimeKind {

  /** Moments. */
  case object Instant extends TimeKind("instant")

  /** Dates and times of day, in no zone. */
  case object Local extends TimeKind("local")

  /** Dates. */
  case object Day extends TimeKind("day")

  val all: Seq[TimeKind] = Seq(Instant, Local, Day)
}

/** That a bucket is complete.
  *
  * @param version  1 for the first; each counts all the rows that those before it count
  * @param sinkId   whose files it counts
  * @param cause    the word of the rule that says so
  * @param atMillis when that was decided
  * @param endMillis when the bucket's time ends, if it has one
  * @param total    what this sink has put into the bucket
  * @param added    how much of it since the marker before
  */
final case class Marker(
    bucket: String,
    version: Int,
    form: MarkerForm,
    sinkId: String,
    cause: String,
    atMillis: Long,
    endMillis: Option[Long],
    total: Totals,
    added: Totals
)

/** The form of a marker file's content. */
sealed abstract class MarkerForm(val word: String) extends Product with Serializable

object MarkerForm {
  case object Empty extends MarkerForm("empty")
  case object Json  extends MarkerForm("json")

  val all: Seq[MarkerForm] = Seq(Empty, Json)
}
