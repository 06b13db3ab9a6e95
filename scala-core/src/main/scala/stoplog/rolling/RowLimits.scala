// SPDX-License-Identifier: Apache-2.0
package stoplog.rolling

/** The limits of a part which a task compares before each row, without a call of the policy.
  *
  * The policy is called for a row that finds no room within the limits, and may still accept the row.
  *
  * @param mostBytes   a part with more bytes has no room
  * @param mostRecords a part with this number of records has no room
  */
private[stoplog] final case class RowLimits(mostBytes: Long, mostRecords: Long)

private[stoplog] object RowLimits {

  /** No part has room, so the policy is called before each row. */
  val None: RowLimits = RowLimits(mostBytes = -1, mostRecords = 0)

  /** Returns limits such that [[RollingPolicy.beforeRow]] accepts each row that finds room. */
  def of(policy: RollingPolicy): RowLimits = policy match {
    case limits: DefaultRollingPolicy      => of(Some(limits.maxPartSizeBytes), limits.maxRecordsPerPart)
    case limits: OnCheckpointRollingPolicy => of(limits.maxPartSizeBytes, limits.maxRecordsPerPart)
    case delegating: DelegatingPolicy      => of(delegating.userPolicy)
    case _                                 => None
  }

  private def of(mostBytes: Option[Long], mostRecords: Option[Long]): RowLimits =
    RowLimits(mostBytes.getOrElse(Limit.Unlimited), mostRecords.getOrElse(Limit.Unlimited))
}
