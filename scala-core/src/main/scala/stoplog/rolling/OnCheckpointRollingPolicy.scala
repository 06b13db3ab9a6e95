// SPDX-License-Identifier: Apache-2.0
package stoplog.rolling

/** Closes every part at the end of the epoch in which the part was written. So no row waits longer than a
  * micro-batch.
  *
  * Without further limits, the policy creates one file per epoch, bucket and writer, like Spark's own file
  * sink. Within an epoch, a part may also be closed by size or by number of records, with the comparisons of
  * [[DefaultRollingPolicy]]. By default, neither is limited.
  *
  * {{{
  * OnCheckpointRollingPolicy().withMaxPartSizeBytes(256L << 20)
  * }}}
  */
final class OnCheckpointRollingPolicy private (
    val maxPartSizeBytes: Option[Long],
    val maxRecordsPerPart: Option[Long]
) extends RollingPolicy {

  /** Closes a part with more bytes on storage than this limit before its epoch ends; must be positive. */
  def withMaxPartSizeBytes(bytes: Long): OnCheckpointRollingPolicy =
    new OnCheckpointRollingPolicy(Some(Limit.positive("maxPartSizeBytes", bytes)), maxRecordsPerPart)

  /** Limits a part to this number of rows, which must be positive. */
  def withMaxRecordsPerPart(records: Long): OnCheckpointRollingPolicy =
    new OnCheckpointRollingPolicy(maxPartSizeBytes, Some(Limit.positive("maxRecordsPerPart", records)))

  private[this] val mostBytes   = maxPartSizeBytes.getOrElse(Limit.Unlimited)
  private[this] val mostRecords = maxRecordsPerPart.getOrElse(Limit.Unlimited)

  override def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason] =
    Limit.full(part, mostBytes, mostRecords)

  override def onTime(part: PartStats, nowMillis: Long): Option[RollReason] = None

  override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] = Some(RollReason.Checkpoint)

  override def equals(other: Any): Boolean = other match {
    case that: OnCheckpointRollingPolicy =>
      maxPartSizeBytes == that.maxPartSizeBytes && maxRecordsPerPart == that.maxRecordsPerPart
    case _ => false
  }

  override def hashCode: Int = (maxPartSizeBytes, maxRecordsPerPart).hashCode

  override def toString: String =
    (maxPartSizeBytes.map("maxPartSizeBytes=" + _) ++ maxRecordsPerPart.map("maxRecordsPerPart=" + _))
      .mkString("OnCheckpointRollingPolicy(", ", ", ")")
}

object OnCheckpointRollingPolicy {

  /** Closes parts only at the end of each epoch. */
  def apply(): OnCheckpointRollingPolicy = default

  private val default = new OnCheckpointRollingPolicy(None, None)
}
