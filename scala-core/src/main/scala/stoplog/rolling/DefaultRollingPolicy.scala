// SPDX-License-Identifier: Apache-2.0
package stoplog.rolling

/** Closes a part by its size, its number of records, its age, once nothing was written to it for a while, or by the
  * event times of its rows.
  *
  * The comparisons are those of Flink's policy of this name: a part rolls when it holds *more* than
  * `maxPartSizeBytes`, so it passes the limit by at most one row and what the compressor still held back; and
  * when its age or its idle time has *reached* the interval. Flink has no limit of records; here a part that
  * holds `maxRecordsPerPart` is full, so no part ever holds more. The clock is looked at after each epoch
  * and, between epochs, every `bucketCheckInterval`: an interval is exceeded by up to that. The interval of event times
  * is `rotate.interval.ms` of Kafka Connect's sinks: rows alone are looked at, and no clock.
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

  /** A part that holds more bytes on storage than this is closed; more than 0. */
  def withMaxPartSizeBytes(bytes: Long): DefaultRollingPolicy =
    new DefaultRollingPolicy(limits.copy(maxPartSizeBytes = Limit.positive("maxPartSizeBytes", bytes)))

  /** A part holds at most this many rows; more than 0. */
  def withMaxRecordsPerPart(records: Long): DefaultRollingPolicy =
    new DefaultRollingPolicy(
      limits.copy(maxRecordsPerPart = Some(Limit.positive("maxRecordsPerPart", records)))
    )

  /** A part that was opened this long ago is closed; more than 0. */
  def withRolloverIntervalMillis(millis: Long): DefaultRollingPolicy =
    new DefaultRollingPolicy(
      limits.copy(rolloverIntervalMillis = Limit.positive("rolloverIntervalMillis", millis))
    )

  /** A part to which nothing was written for this long is closed; more than 0. */
  def withInactivityIntervalMillis(millis: Long): DefaultRollingPolicy =
    new DefaultRollingPolicy(
      limits.copy(inactivityIntervalMillis = Limit.positive("inactivityIntervalMillis", millis))
    )

  /** A row whose event time is this much, or more, behind that of the part's first row closes the part, and goes to
    * another one; more than 0. Rows without an event time, and late ones, close nothing. The option `eventTimeColumn`
    * names the column of event times, or else the query's `withWatermark`.
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
      s", rolloverIntervalMillis=$rolloverIntervalMillis, inactivityIntervalMillis=$inactivityIntervalMillis" +
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
