// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import java.security.MessageDigest
import java.util.HexFormat

import stoplog.part.{FinishedPart, Open, Pending, RunId}

/** The event recorded by a record. */
private[stoplog] sealed abstract class RecordKind(val word: String) extends Product with Serializable

private[stoplog] object RecordKind {

  /** The first record of a run, which fences every older driver. */
  case object Claim extends RecordKind("claim")

  /** An epoch of the query. */
  final case class Epoch(epoch: Long) extends RecordKind("epoch")

  /** Parts closed by the driver's clock, between epochs. */
  case object Roll extends RecordKind("roll")

  /** Small finished parts replaced by one part with their rows, between epochs. */
  case object Compact extends RecordKind("compact")

  /** The clean end of a run. */
  case object Release extends RecordKind("release")
}

/** The complete state of a sink, as defined by the newest record.
  *
  * @param newest    the Spark query that owns the sink id, and the last epoch whose rows are in the state
  * @param open      the open parts, in no particular order
  * @param nextPart  the number of the next part
  * @param settings  settings that must not change silently between runs: the zone of the buckets, the format
  *                  of open parts
  * @param live      the buckets with rows not counted by a marker, if markers are enabled
  * @param small     finished parts that may be compacted, oldest first, limited by the compaction rules;
  *                  empty without compaction
  */
private[stoplog] final case class SinkState(
    newest: QueryEpoch,
    open: Vector[Open],
    nextPart: Long,
    settings: Map[String, String],
    live: Vector[LiveBucket] = Vector.empty,
    small: Vector[FinishedPart] = Vector.empty
) {
  def queryId: String = newest.queryId

  /** The last epoch whose rows are in the state; `None` before the first epoch. */
  def lastEpoch: Option[Long] = newest.epoch

  /** Returns the state after this epoch. */
  def after(epoch: Option[Long], batch: Option[BatchDigest]): SinkState =
    copy(newest = QueryEpoch(queryId, epoch, batch))

  /** Returns the state with no time after the current time of a driver's clock. See `Open.by`. */
  def by(nowMillis: Long): SinkState =
    if (open.forall(!_.isAhead(nowMillis)) && live.forall(_.lastWrittenAtMillis <= nowMillis)) this
    else copy(open = open.map(_.by(nowMillis)), live = live.map(_.by(nowMillis)))

  /** Returns the schema of the rows, as recorded by the last run that set the schema. */
  def schema: Option[String] = settings.get(SinkState.SchemaKey)

  /** Returns the tokens of all spool files of open parts. */
  def spoolFiles: Set[String] = open.iterator.flatMap(_.spooled.files).map(_.token).toSet
}

private[stoplog] object SinkState {

  /** Placeholder for a query id: the sink belongs to the next query to start. */
  val NextQuery: String = ""

  /** The setting with the run of the preceding record, in the log of replacement jobs. */
  val FollowsKey: String = "follows"

  /** The setting with the schema of the rows. */
  val SchemaKey: String = "schema"
}

/** One immutable record of the commit log.
  *
  * @param seq     its place in the log, dense from 0
  * @param publish the parts that this record makes visible (I3)
  * @param follow  the work after these parts are visible
  * @param replace the finished parts to hide before publishing, because the published part contains their
  *                rows
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

  /** Returns whether the record requires any work after the commit. */
  def hasToBeSettled: Boolean = publish.nonEmpty || replace.nonEmpty || !follow.isEmpty

  /** Returns whether the record is a replacement, whose first note states how it ends. Either its parts
    * replace files, or the record belongs to the log of replacement jobs.
    */
  def replaces: Boolean = replace.nonEmpty || state.settings.contains(SinkState.FollowsKey)

  /** Returns whether the record rewinds a sink to an earlier epoch. */
  def isRewind: Boolean = LogRecord.isRewind(kind, publish)

  /** Returns whether its part contains the rows of the replaced files. */
  def isCompaction: Boolean = LogRecord.isCompaction(kind, publish)

  /** Returns the state after this record, which would have left `state`. Its parts that are never visible
    * cannot be compacted, and totals do not count them. If a compaction was called off, totals count its
    * inputs.
    */
  def after(outcome: RecordOutcome, state: SinkState): SinkState =
    if (outcome == RecordOutcome.Done) state
    else {
      val lacking = never(outcome)
      val paths   = lacking.iterator.map(_.finishedPath).toSet
      val back    = if (outcome == RecordOutcome.CalledOff) replace else Vector.empty
      val less    = totalsOf(lacking)
      val more    = totals(back.map(part => part.bucket -> Totals(1, part.records, part.sizeBytes)))
      state.copy(
        live = state.live.map { bucket =>
          if (more(bucket.bucket) == less(bucket.bucket)) bucket
          else bucket.copy(added = bucket.added + more(bucket.bucket) - less(bucket.bucket))
        },
        small = state.small.filterNot(part => paths(part.path))
      )
    }

  /** Returns the record without the decisions that have not taken effect: without lost parts in its lists and
    * totals, and without any decision if the record was called off.
    */
  def as(outcome: RecordOutcome): LogRecord = outcome match {
    case RecordOutcome.Done      => this
    case RecordOutcome.CalledOff =>
      copy(publish = Vector.empty, follow = FollowUp.nothing, replace = Vector.empty)
    case _: RecordOutcome.Skipped =>
      val less    = totalsOf(never(outcome))
      val markers = follow.markers.map(marker => marker.copy(added = marker.added - less(marker.bucket)))
      copy(
        publish = publish.filter(part => outcome.shows(part.finishedPath)),
        follow = follow.copy(markers = markers)
      )
  }

  private def never(outcome: RecordOutcome) = publish.filterNot(part => outcome.shows(part.finishedPath))

  private def totalsOf(parts: Vector[Pending]): Map[String, Totals] =
    totals(parts.map(part => part.bucket -> Totals(1, part.records, part.sizeBytes)))

  private def totals(parts: Vector[(String, Totals)]): Map[String, Totals] =
    parts.groupMapReduce(_._1)(_._2)(_ + _).withDefaultValue(Totals.nothing)
}

private[stoplog] object LogRecord {

  /** The roll reason of a compacted part. */
  val CompactionReason: String = "compaction"

  private[log] def isCompaction(kind: RecordKind, publish: Vector[Pending]): Boolean =
    kind == RecordKind.Compact && publish.map(_.reason.word) == Vector(CompactionReason)

  private[log] def isRewind(kind: RecordKind, publish: Vector[Pending]): Boolean =
    kind == RecordKind.Compact && !isCompaction(kind, publish)
}

/** The identity of a micro-batch: a digest of the engine's plan, primarily the offsets of its sources. A
  * repeated batch has the same digest. A batch with a new plan under the same number has another digest.
  */
private[stoplog] final case class BatchDigest(value: String)

private[stoplog] object BatchDigest {

  /** Returns the digest of the file with the engine's offsets. */
  def of(offsets: Array[Byte]): BatchDigest =
    BatchDigest(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(offsets)))
}

/** A query and its newest committed epoch.
  *
  * @param epoch `None` before the first epoch
  * @param batch the batch of this epoch; `None` if the batch is unknown
  */
private[stoplog] final case class QueryEpoch(
    queryId: String,
    epoch: Option[Long],
    batch: Option[BatchDigest] = None
) {

  /** Returns the next epoch. */
  def next: Long = epoch.fold(0L)(_ + 1)
}

private[stoplog] object QueryEpoch {

  /** Returns the position of a query that starts with this batch. */
  def before(queryId: String, batch: Long): QueryEpoch =
    QueryEpoch(queryId, Option.when(batch > 0)(batch - 1))
}

/** The numbers of files, rows and bytes in a bucket, or added to a bucket. */
private[stoplog] final case class Totals(files: Long, rows: Long, bytes: Long) {
  def +(other: Totals): Totals = Totals(files + other.files, rows + other.rows, bytes + other.bytes)
  def -(other: Totals): Totals = Totals(files - other.files, rows - other.rows, bytes - other.bytes)
}

private[stoplog] object Totals {
  val nothing: Totals = Totals(0, 0, 0)
}

/** A bucket with rows not counted by a marker. Its marker removes the bucket from the state. So the size of
  * the state depends only on live buckets, not on all past buckets.
  *
  * @param version             the newest marker when the bucket entered the state; 0 without a marker
  * @param added               the totals published since the newest marker of this sink
  * @param lastWrittenAtMillis the write time of the newest published rows
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

/** The work after the parts of a record are visible. The record decides this work together with the parts
  * (I3), and stores all inputs. So each process and each repetition writes the same bytes.
  *
  * @param manifest the list of the record's files, if enabled
  * @param markers  the complete buckets
  */
private[stoplog] final case class FollowUp(manifest: Option[Manifest], markers: Vector[Marker]) {
  def isEmpty: Boolean = manifest.isEmpty && markers.isEmpty
}

private[stoplog] object FollowUp {
  val nothing: FollowUp = FollowUp(None, Vector.empty)
}

/** @param path   the path of the list, below the sink's path
  * @param column the column whose times the parts record, if any
  */
private[stoplog] final case class Manifest(path: String, column: Option[TimeColumn])

/** A column from which buckets derive their time. */
private[stoplog] final case class TimeColumn(name: String, kind: TimeKind)

/** The kind of values in a time column. */
private[stoplog] sealed abstract class TimeKind(val word: String) extends Product with Serializable

private[stoplog] object TimeKind {

  /** Points in time. */
  case object Instant extends TimeKind("instant")

  /** Dates and times of day without a zone. */
  case object Local extends TimeKind("local")

  /** Dates. */
  case object Day extends TimeKind("day")

  val all: Seq[TimeKind] = Seq(Instant, Local, Day)
}

/** The decision that a bucket is complete.
  *
  * @param version  the lowest possible version: 1, or the version after the newest existing marker. Another
  *                 writer may create this version first, so the marker's file has this version or a later
  *                 version
  * @param sinkId   the sink whose files are counted
  * @param cause    the name of the rule for completeness
  * @param atMillis the time of the decision
  * @param endMillis the end of the bucket's time, if any
  * @param added    the totals that this sink added to the bucket since its preceding marker. The full totals
  *                 are known only when the marker's name is created
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
