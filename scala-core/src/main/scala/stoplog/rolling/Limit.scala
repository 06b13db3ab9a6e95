// SPDX-License-Identifier: Apache-2.0
package stoplog.rolling

/** The checks that the policies that come with stoplog share. */
private[rolling] object Limit {

  def positive(name: String, value: Long): Long = {
    require(value > 0, s"$name must be more than 0, and is $value")
    value
  }

  /** Whether the part can take no further row. Size first: it is the limit that most users set. */
  def full(part: PartStats, maxPartSizeBytes: Option[Long], maxRecords: Option[Long]): Option[RollReason] =
    if (maxPartSizeBytes.exists(part.sizeBytes > _)) Some(RollReason.Size)
    else if (maxRecords.exists(part.records >= _)) Some(RollReason.Records)
    else None
}
