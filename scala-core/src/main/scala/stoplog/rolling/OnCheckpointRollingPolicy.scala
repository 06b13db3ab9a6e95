// SPDX-License-Identifier: Apache-2.0
package stoplog.rolling

/** Closes every part at the end of the epoch in which it was written: no row waits longer than one
  * micro-batch.
  *
  * Alone it makes one file per epoch, bucket and writer, as Spark's own file sink does. Within an epoch a
  * part may also be closed by size or by number of records, with the comparisons of [[DefaultRollingPolicy]];
  * neither is limited unless asked for.
  *
  * {{{
  * OnCheckpointRollingPolicy().withMaxPartSizeBytes(256L << 20)
  * }}}
  */
final class OnCheckpointRollingPolicy private (
    val maxPartSizeBytes: Option[Long],
    val maxRecordsPerPart: Option[Long]
) extends RollingPolicy {

  /** A part that holds more bytes on storage than this is closed before its epoch ends; more than 0. */
  def withMaxPartSizeBytes(bytes: Long): OnCheckpointRollingPolicy =
    new OnCheckpointRollingPolicy(Some(Limit.positive("maxPartSizeBytes", bytes)), maxRecordsPerPart)

  /** A part holds at most this many rows; more than 0. */
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

  /** Closes parts at the end of each epoch, and never before it. */
  def apply(): OnCheckpointRollingPolicy = default

  private val default = new OnCheckpointRollingPolicy(None, None)
}
