// SPDX-License-Identifier: Apache-2.0
package stoplog.rolling

/** Closes a part by its size, number of records, age, idle time, or by the event times of its rows.
  *
  * The comparisons match Flink's policy of this name. A part rolls when its size is *more* than
  * `maxPartSizeBytes`. So the part exceeds the limit by at most a row and the compressor's buffered bytes. A
  * part also rolls when its age or idle time has *reached* the interval. Flink has no limit of records; here
  * a part with `maxRecordsPerPart` rows is full, so no part exceeds the limit. The clock is checked after
  * each epoch and, between epochs, every `bucketCheckInterval`, so an interval may be exceeded by up to that
  * time. The interval of event times corresponds to `rotate.interval.ms` of Kafka Connect's sinks: only rows
  * count, not the clock.
  *
  * {{{
  * DefaultRollingPolicy().withMaxPartSizeBytes(64L << 20).withRolloverIntervalMillis(600000)
  * }}}
  */
final class DefaultRollingPolicy private (private val limits: DefaultRollingPolicy.Limits)
    extends RollingPolicy {
  def maxPartSizeBytes: Long                = limits.maxPartSizeBytes
  def maxRecordsPerPart: Option[Long]       = limits.maxRecordsPerPart
  def rolloverIntervalMillis: Long          = limits.rolloverIntervalMillis
  def inactivityIntervalMillis: Long        = limits.inactivityIntervalMillis
  def eventTimeIntervalMillis: Option[Long] = limits.eventTimeIntervalMillis

  /** Closes a part with more bytes on storage than this limit, which must be positive. */
  def withMaxPartSizeBytes(bytes: Long): DefaultRollingPolicy =
    new DefaultRollingPolicy(limits.copy(maxPartSizeBytes = Limit.positive("maxPartSizeBytes", bytes)))

  /** Limits a part to this number of rows, which must be positive. */
  def withMaxRecordsPerPart(records: Long): DefaultRollingPolicy =
    new DefaultRollingPolicy(
      limits.copy(maxRecordsPerPart = Some(Limit.positive("maxRecordsPerPart", records)))
    )

  /** Closes a part whose age has reached this interval, in milliseconds, which must be positive. */
  def withRolloverIntervalMillis(millis: Long): DefaultRollingPolicy =
    new DefaultRollingPolicy(
      limits.copy(rolloverIntervalMillis = Limit.positive("rolloverIntervalMillis", millis))
    )

  /** Closes a part without a new row for this interval, in milliseconds, which must be positive. */
  def withInactivityIntervalMillis(millis: Long): DefaultRollingPolicy =
    new DefaultRollingPolicy(
      limits.copy(inactivityIntervalMillis = Limit.positive("inactivityIntervalMillis", millis))
    )

  /** Closes a part when a row's event time is later than the part's first by this interval (in milliseconds,
    * positive) or more. The row is written to another part. Rows without an event time and late rows close
    * nothing. The option `eventTimeColumn` or else the query's `withWatermark` names the column of event
    * times.
    */
  def withEventTimeIntervalMillis(millis: Long): DefaultRollingPolicy =
    new DefaultRollingPolicy(
      limits.copy(eventTimeIntervalMillis = Some(Limit.positive("eventTimeIntervalMillis", millis)))
    )

  override def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason] = full(part)

  override def onEventTime(part: PartStats, eventTimeMillis: Long): Option[RollReason] =
    eventTimeIntervalMillis
      .filter(interval => part.firstEventTimeMillis.exists(eventTimeMillis - _ >= interval))
      .map(_ => RollReason.EventTime)

  override def onTime(part: PartStats, nowMillis: Long): Option[RollReason] =
    if (nowMillis - part.openedAtMillis >= rolloverIntervalMillis) Some(RollReason.Age)
    else if (nowMillis - part.lastWrittenAtMillis >= inactivityIntervalMillis) Some(RollReason.Inactivity)
    else None

  override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] = full(part)

  override def equals(other: Any): Boolean = other match {
    case that: DefaultRollingPolicy => that.limits == limits
    case _                          => false
  }

  override def hashCode: Int = limits.hashCode

  override def toString: String =
    s"DefaultRollingPolicy(maxPartSizeBytes=$maxPartSizeBytes" +
      maxRecordsPerPart.fold("")(records => s", maxRecordsPerPart=$records") +
      s", rolloverIntervalMillis=$rolloverIntervalMillis, " +
      s"inactivityIntervalMillis=$inactivityIntervalMillis" +
      eventTimeIntervalMillis.fold(")")(interval => s", eventTimeIntervalMillis=$interval)")

  private[this] val mostBytes   = limits.maxPartSizeBytes
  private[this] val mostRecords = limits.maxRecordsPerPart.getOrElse(Limit.Unlimited)

  private def full(part: PartStats): Option[RollReason] = Limit.full(part, mostBytes, mostRecords)
}

object DefaultRollingPolicy {

  /** 128 MiB, no limit of records, 15 minutes of age, 5 minutes without a row, no limit of event times. */
  def apply(): DefaultRollingPolicy = default

  private val default = new DefaultRollingPolicy(
    Limits(
      maxPartSizeBytes = 128L << 20,
      maxRecordsPerPart = None,
      rolloverIntervalMillis = 15L * 60 * 1000,
      inactivityIntervalMillis = 5L * 60 * 1000,
      eventTimeIntervalMillis = None
    )
  )

  private final case class Limits(
      maxPartSizeBytes: Long,
      maxRecordsPerPart: Option[Long],
      rolloverIntervalMillis: Long,
      inactivityIntervalMillis: Long,
      eventTimeIntervalMillis: Option[Long]
  )
}
