// SPDX-License-Identifier: Apache-2.0
package stoplog.rolling

/** The facts that a policy may know of an open part. A view that is reused between calls: do not keep it. */
trait PartStats {

  /** The bucket's path under the sink's path; empty for the path itself. */
  def bucket: String

  /** Bytes as they will stand on storage, after compression; what a compressor still buffers is not counted.
    */
  def sizeBytes: Long

  /** Rows written to the part, in this epoch and in earlier ones. */
  def records: Long

  /** The time at which the part was opened, in milliseconds since 1970-01-01T00:00:00Z. */
  def openedAtMillis: Long

  /** The time at which a row was last written to it, in milliseconds since 1970-01-01T00:00:00Z. At the end of an epoch
    * it is never too early; see [[RollingPolicy.beforeRow]] for how often the task reads the clock.
    */
  def lastWrittenAtMillis: Long

  /** The event time of the first of its rows that has one, in milliseconds since 1970-01-01T00:00:00Z. It stays what it
    * is for as long as the part is open, over epochs and restarts. `None` until such a row comes, and where rows have no
    * event time.
    */
  def firstEventTimeMillis: Option[Long] = None
}

/** Decides when a part is closed. Pure: it answers from its arguments alone, with the reason or with `None`.
  *
  * Three questions are asked at the points where Flink's FileSink asks them (the semantics follow its
  * `RollingPolicy`): before each row that would go to an open part, by the clock, and at the end of an epoch. A fourth,
  * of the row's own time, is what Kafka Connect's sinks ask before each record. No question is asked while no part is
  * open, nor before a part's first row.
  */
trait RollingPolicy extends Serializable {

  /** The task asks this before it appends a row to a part that already holds one.
    *
    * @param nowMillis milliseconds since 1970-01-01T00:00:00Z. The task reads the clock when it turns to another part,
    *                  and then for each row, or once in 16 rows while they come within a millisecond: a decision by the
    *                  time comes at most 15 rows late
    */
  def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason]

  /** The task asks this behind [[beforeRow]], before a row that has an event time. If the answer is a reason, the row goes
    * to another part. By default the policy does not look at event times.
    *
    * @param eventTimeMillis of the row, in milliseconds since 1970-01-01T00:00:00Z: from the column that the option
    *                        `eventTimeColumn` names, or else from that of the query's `withWatermark`
    */
  def onEventTime(part: PartStats, eventTimeMillis: Long): Option[RollReason] = None

  /** The task and the driver ask this at the end of each epoch; the driver also every `bucketCheckInterval` between epochs. */
  def onTime(part: PartStats, nowMillis: Long): Option[RollReason]

  /** The task asks this at the end of each epoch in which the part was written. */
  def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason]
}

/** The user's policy where it does not decide alone: every question goes on to it, but those that the subclass answers. */
private[stoplog] abstract class AskingPolicy(asked: RollingPolicy) extends RollingPolicy {
  override def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason] =
    asked.beforeRow(part, nowMillis)

  override def onEventTime(part: PartStats, eventTimeMillis: Long): Option[RollReason] =
    asked.onEventTime(part, eventTimeMillis)

  override def onTime(part: PartStats, nowMillis: Long): Option[RollReason] = asked.onTime(part, nowMillis)

  override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] =
    asked.onEpochEnd(part, nowMillis)
}

/** The checks that the policies that come with stoplog share. */
private[rolling] object Limit {

  def positive(name: String, value: Long): Long = {
    require(value > 0, s"$name must be more than 0, and is $value")
    value
  }

  /** No part comes to it. */
  val Unlimited: Long = Long.MaxValue

  /** The reason why the part can take no further row, if there is one. Size first: it is the limit that most users set. Asked
    * for each row: it takes two comparisons, and makes no object.
    */
  def full(part: PartStats, maxPartSizeBytes: Long, maxRecords: Long): Option[RollReason] =
    if (part.sizeBytes > maxPartSizeBytes) BySize
    else if (part.records >= maxRecords && maxRecords != Unlimited) ByRecords
    else None

  private val BySize    = Some(RollReason.Size)
  private val ByRecords = Some(RollReason.Records)
}
