// SPDX-License-Identifier: Apache-2.0
package stoplog.rolling

/** The facts about an open part for a policy. The sink reuses the object between calls; do not keep it. */
trait PartStats {

  /** The bucket's path under the sink's path; empty for the sink's path itself. */
  def bucket: String

  /** The size on storage after compression, in bytes, without bytes that a compressor still buffers. */
  def sizeBytes: Long

  /** The number of rows written to the part, in this epoch and in earlier epochs. */
  def records: Long

  /** The time at which the part was opened, in milliseconds since 1970-01-01T00:00:00Z. */
  def openedAtMillis: Long

  /** The time of the last write to the part, in milliseconds since 1970-01-01T00:00:00Z. At the end of an
    * epoch, the value is never too early. [[RollingPolicy.beforeRow]] describes how often the task reads the
    * clock.
    */
  def lastWrittenAtMillis: Long

  /** The event time of the part's first row with an event time, in milliseconds since 1970-01-01T00:00:00Z.
    * The value is constant while the part is open, across epochs and restarts. `None` until such a row
    * arrives, and if rows have no event time.
    */
  def firstEventTimeMillis: Option[Long] = None
}

/** Decides when a part is closed. Implementations must be pure: the result, a reason or `None`, depends only
  * on the arguments.
  *
  * Three methods correspond to Flink's FileSink and follow the semantics of its `RollingPolicy`: before each
  * row for an open part, by the clock, and at the end of an epoch. The fourth method compares the row's own
  * time, as Kafka Connect's sinks do before each record. The sink calls no method without an open part, and
  * none before a part's first row.
  */
trait RollingPolicy extends Serializable {

  /** Called by the task before a row is appended to a part with at least one row.
    *
    * @param nowMillis milliseconds since 1970-01-01T00:00:00Z. The task reads the clock when it switches to
    *                  another part, and then for each row. If rows arrive within a millisecond, the task
    *                  reads the clock once in 16 rows, so a time-based decision is at most 15 rows late
    */
  def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason]

  /** Called by the task after [[beforeRow]], before a row with an event time. If the result is a reason, the
    * row is written to another part. By default, the policy ignores event times.
    *
    * @param eventTimeMillis the row's event time, in milliseconds since 1970-01-01T00:00:00Z: from the column
    *                        of the option `eventTimeColumn`, or else of the query's `withWatermark`
    */
  def onEventTime(part: PartStats, eventTimeMillis: Long): Option[RollReason] = None

  /** Called by the task and the driver at the end of each epoch, and by the driver every
    * `bucketCheckInterval` between epochs.
    */
  def onTime(part: PartStats, nowMillis: Long): Option[RollReason]

  /** Called by the task at the end of each epoch in which the part was written. */
  def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason]
}

/** Delegates every decision to the user's policy, except the methods overridden by a subclass. The decision
  * before each row is final, because [[RowLimits]] relies on the user's policy for it.
  */
private[stoplog] abstract class DelegatingPolicy extends RollingPolicy {
  def userPolicy: RollingPolicy

  final override def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason] =
    userPolicy.beforeRow(part, nowMillis)

  override def onEventTime(part: PartStats, eventTimeMillis: Long): Option[RollReason] =
    userPolicy.onEventTime(part, eventTimeMillis)

  override def onTime(part: PartStats, nowMillis: Long): Option[RollReason] =
    userPolicy.onTime(part, nowMillis)

  override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] =
    userPolicy.onEpochEnd(part, nowMillis)
}

/** Checks shared by stoplog's policies. */
private[rolling] object Limit {

  def positive(name: String, value: Long): Long = {
    require(value > 0, s"$name must be more than 0, and is $value")
    value
  }

  /** No part reaches this limit. */
  val Unlimited: Long = Long.MaxValue

  /** Returns the reason why the part is full, if any. The size is checked first, because most users limit the
    * size. Called for each row, so the method uses two comparisons and creates no object.
    */
  def full(part: PartStats, maxPartSizeBytes: Long, maxRecords: Long): Option[RollReason] =
    if (part.sizeBytes > maxPartSizeBytes) BySize
    else if (part.records >= maxRecords && maxRecords != Unlimited) ByRecords
    else None

  private val BySize    = Some(RollReason.Size)
  private val ByRecords = Some(RollReason.Records)
}
