// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import java.security.MessageDigest
import java.util.HexFormat

import stoplog.part.{FinishedPart, Open, Pending, RunId}

/** The event that a record states. */
private[stoplog] sealed abstract class RecordKind(val word: String) extends Product with Serializable

private[stoplog] object RecordKind {

  /** The first act of a run: from here on every older driver is fenced. */
  case object Claim extends RecordKind("claim")

  /** An epoch of the query. */
  final case class Epoch(epoch: Long) extends RecordKind("epoch")

  /** Parts closed by the driver's clock, between epochs. */
  case object Roll extends RecordKind("roll")

  /** Small finished parts give way to one with their rows, between epochs. */
  case object Compact extends RecordKind("compact")

  /** The clean end of a run. */
  case object Release extends RecordKind("release")
}

/** All that a sink has to remember; the newest record alone holds it whole.
  *
  * @param queryId   the Spark query that owns the sink id
  * @param lastEpoch the last epoch whose rows are in the state; `None` before the first
  * @param open      the parts left open, in no particular order
  * @param nextPart  the number of the next part
  * @param settings  what must not change silently between runs (the zone of the buckets, the format of open parts)
  * @param live      the buckets with rows that no marker counts, if markers are asked for
  * @param small     finished parts that may be merged, oldest first; as many as compaction lets wait, and none without
  *                  it
  * @param lastBatch the batch of the last epoch; `None` where it could not be told
  */
private[stoplog] final case class SinkState(
    queryId: String,
    lastEpoch: Option[Long],
    open: Vector[Open],
    nextPart: Long,
    settings: Map[String, String],
    live: Vector[LiveBucket] = Vector.empty,
    small: Vector[FinishedPart] = Vector.empty,
    lastBatch: Option[BatchDigest] = None
) {

  /** After this epoch. */
  def after(epoch: Option[Long], batch: Option[BatchDigest]): SinkState =
    copy(lastEpoch = epoch, lastBatch = batch)

  /** Without a time after this one, by the clock of a driver: see `Open.by`. */
  def by(nowMillis: Long): SinkState =
    if (open.forall(!_.isAhead(nowMillis)) && live.forall(_.lastWrittenAtMillis <= nowMillis)) this
    else copy(open = open.map(_.by(nowMillis)), live = live.map(_.by(nowMillis)))

  /** The query that owns the sink id, and its newest epoch. */
  def newest: QueryEpoch = QueryEpoch(queryId, lastEpoch, lastBatch)

  /** Owned by this query, which goes on from this epoch. */
  def goingOnFrom(newest: QueryEpoch): SinkState =
    copy(queryId = newest.queryId).after(newest.epoch, newest.batch)

  /** The columns of the rows, as the run wrote them down that set them last. */
  def schema: Option[String] = settings.get(SinkState.SchemaKey)

  /** The tokens of all files beside open parts. */
  def spoolFiles: Set[String] = open.iterator.flatMap(_.beside.files).map(_.token).toSet
}

private[stoplog] object SinkState {

  /** In place of a query's id: the sink belongs to the next query that starts, whichever it is. */
  val NextQuery: String = ""

  /** The setting that holds the run of the record before, in the log of the jobs that replace files. */
  val FollowsKey: String = "follows"

  /** The setting that holds the columns of the rows. */
  val SchemaKey: String = "schema"
}

/** One immutable record of the commit log.
  *
  * @param seq     its place in the log, dense from 0
  * @param publish the parts that this record makes visible (I3)
  * @param follow  what is done once they are
  * @param replace the finished parts that go out of sight before that, because the published one has their rows
  */
private[stoplog] final case class LogRecord(
    seq: Long,
    kind: RecordKind,
    run: RunId,
    writtenAtMillis: Long,
    publish: Vector[Pending],
    state: SinkState,
    follow: FollowUp = FollowUp.nothing,
    replace: Vector[FinishedPart] = Vector.empty
) {

  /** Whether there is anything to do once the record is in the log. */
  def hasToBeSettled: Boolean = publish.nonEmpty || replace.nonEmpty || !follow.isEmpty

  /** Whether it is a replacement, whose first note states how it ends: files give way to its parts, or it is in the log of the
    * jobs that replace files.
    */
  def replaces: Boolean = replace.nonEmpty || state.settings.contains(SinkState.FollowsKey)

  /** Whether it takes a sink back to an earlier epoch. */
  def isRewind: Boolean = kind == RecordKind.Compact && !isMerge

  /** Whether its part has the rows of the files that it replaces. */
  def isMerge: Boolean = LogRecord.isMerge(kind, publish)

  /** The state after a compaction that was called off, which was to leave `state`: its part is never shown, and cannot be
    * compacted. Totals count its inputs.
    */
  def calledOff(state: SinkState): SinkState = {
    val never  = publish.iterator.map(_.finishedPath).toSet
    val shown  = totals(publish.map(part => part.bucket -> Totals(1, part.records, part.sizeBytes)))
    val hidden = totals(replace.map(part => part.bucket -> Totals(1, part.records, part.sizeBytes)))
    state.copy(
      live = state.live.map { bucket =>
        val (more, less) = (hidden(bucket.bucket), shown(bucket.bucket))
        if (more == less) bucket else bucket.copy(added = bucket.added + more - less)
      },
      small = state.small.filterNot(part => never(part.path))
    )
  }

  private def totals(parts: Vector[(String, Totals)]): Map[String, Totals] =
    parts.groupMapReduce(_._1)(_._2)(_ + _).withDefaultValue(Totals.nothing)
}

private[stoplog] object LogRecord {

  /** The word of the roll reason that a merged part has. */
  val MergeReason: String = "compaction"

  private[log] def isMerge(kind: RecordKind, publish: Vector[Pending]): Boolean =
    kind == RecordKind.Compact && publish.map(_.reason.word) == Vector(MergeReason)
}

/** The identity of a micro-batch: a digest of what the engine wrote down when it planned it, the offsets of its sources
  * before all. The same batch repeated has the same; one that was planned anew under the same number has another.
  */
private[stoplog] final case class BatchDigest(value: String)

private[stoplog] object BatchDigest {

  /** Of the file in which the engine keeps the offsets. */
  def of(offsets: Array[Byte]): BatchDigest =
    BatchDigest(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(offsets)))
}

/** A query, and the newest of its epochs that is committed.
  *
  * @param epoch `None` before the first
  * @param batch that it was; `None` where it could not be told
  */
private[stoplog] final case class QueryEpoch(
    queryId: String,
    epoch: Option[Long],
    batch: Option[BatchDigest] = None
) {

  /** The one that follows. */
  def next: Long = epoch.fold(0L)(_ + 1)
}

private[stoplog] object QueryEpoch {

  /** Of a query that begins with this batch. */
  def before(queryId: String, batch: Long): QueryEpoch =
    QueryEpoch(queryId, Option.when(batch > 0)(batch - 1))
}

/** The numbers of files, rows and bytes in a bucket, or of those added to it. */
private[stoplog] final case class Totals(files: Long, rows: Long, bytes: Long) {
  def +(other: Totals): Totals = Totals(files + other.files, rows + other.rows, bytes + other.bytes)
  def -(other: Totals): Totals = Totals(files - other.files, rows - other.rows, bytes - other.bytes)
}

private[stoplog] object Totals {
  val nothing: Totals = Totals(0, 0, 0)
}

/** A bucket that has rows which no marker counts. It leaves the state with its marker, so that the state follows what
  * is live and not what there ever was.
  *
  * @param version             of the newest marker that was there when the bucket came into the state; 0 without one
  * @param added               published since the newest marker of this sink
  * @param lastWrittenAtMillis when the newest of the published rows was written
  */
private[stoplog] final case class LiveBucket(
    bucket: String,
    version: Int,
    added: Totals,
    lastWrittenAtMillis: Long
) {
  private[log] def by(nowMillis: Long): LiveBucket =
    if (lastWrittenAtMillis <= nowMillis) this else copy(lastWrittenAtMillis = nowMillis)
}

/** The work to be done once the parts of a record are visible. The record decides it as it decides them (I3), with all
  * that it takes: each process that carries it out, and however often, writes the same bytes.
  *
  * @param manifest the list of the record's files, if one is to be written
  * @param markers  the buckets that are complete
  */
private[stoplog] final case class FollowUp(manifest: Option[Manifest], markers: Vector[Marker]) {
  def isEmpty: Boolean = manifest.isEmpty && markers.isEmpty
}

private[stoplog] object FollowUp {
  val nothing: FollowUp = FollowUp(None, Vector.empty)
}

/** @param path   of the list, under the sink's path
  * @param column whose times the parts know, if there is one
  */
private[stoplog] final case class Manifest(path: String, column: Option[TimeColumn])

/** A column from which buckets take their time. */
private[stoplog] final case class TimeColumn(name: String, kind: TimeKind)

/** The kind of values in a time column. */
private[stoplog] sealed abstract class TimeKind(val word: String) extends Product with Serializable

private[stoplog] object TimeKind {

  /** Moments. */
  case object Instant extends TimeKind("instant")

  /** Dates and times of day, in no zone. */
  case object Local extends TimeKind("local")

  /** Dates. */
  case object Day extends TimeKind("day")

  val all: Seq[TimeKind] = Seq(Instant, Local, Day)
}

/** The decision that a bucket is complete.
  *
  * @param version  the first that it may have: 1, or the one after the newest that was there. Another writer may be faster to
  *                 take the name, so the marker's file has this version or a later one
  * @param sinkId   whose files it counts
  * @param cause    the word of the rule that says so
  * @param atMillis when that was decided
  * @param endMillis when the bucket's time ends, if it has one
  * @param added    what this sink has put into the bucket since its marker before. How much it has put there in all is known
  *                 only when the marker's name is created
  */
private[stoplog] final case class Marker(
    bucket: String,
    version: Int,
    form: MarkerForm,
    sinkId: String,
    cause: String,
    atMillis: Long,
    endMillis: Option[Long],
    added: Totals
)

/** The form of a marker file's content. */
private[stoplog] sealed abstract class MarkerForm(val word: String) extends Product with Serializable

private[stoplog] object MarkerForm {
  case object Empty extends MarkerForm("empty")
  case object Json  extends MarkerForm("json")

  val all: Seq[MarkerForm] = Seq(Empty, Json)
}
