// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import stoplog.part.{FinishedPart, Open, Pending, RunId}

/** The event that a record states. */
sealed abstract class RecordKind(val word: String) extends Product with Serializable

object RecordKind {

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
final case class SinkState(
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

  /** The columns of the rows, as the run wrote them down that set them last. */
  def schema: Option[String] = settings.get(SinkState.SchemaKey)

  /** The tokens of all files beside open parts. */
  def sideFiles: Set[String] = open.iterator.flatMap(_.beside.files).map(_.token).toSet
}

object SinkState {

  /** In place of a query's id: the sink belongs to the next query that starts, whichever it is. */
  val Nobody: String = ""

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
final case class LogRecord(
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
}
