// SPDX-License-Identifier: Apache-2.0
package stoplog.rolling

import scala.annotation.tailrec

/** A policy that decides about all open parts of a sink in one call on the driver. In tasks, only
  * [[beforeRow]] applies: a task knows its own parts, and cannot make a call for each row.
  */
private[stoplog] trait PolicyOfAllParts extends RollingPolicy with AutoCloseable {

  /** Called by the driver after the record of each epoch, and every `bucketCheckInterval` between epochs.
    *
    * @return a reason or `None` for each part, in the order of the parts
    */
  def onTick(parts: Seq[PartStats], nowMillis: Long): Seq[Option[RollReason]]

  /** Called by the driver before the first epoch. Throws if the policy can never decide. */
  def probe(): Unit = ()

  final override def onTime(part: PartStats, nowMillis: Long): Option[RollReason]     = None
  final override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] = None

  /** Called by the driver at the end of the query. */
  override def close(): Unit
}

private[stoplog] object PolicyOfAllParts {

  /** Returns the policy within this policy that decides about all parts, if any. */
  @tailrec
  def in(policy: RollingPolicy): Option[PolicyOfAllParts] = policy match {
    case ofAll: PolicyOfAllParts      => Some(ofAll)
    case delegating: DelegatingPolicy => in(delegating.userPolicy)
    case _                            => None
  }

  /** Returns the decision of any policy about open parts, in the order of the parts. */
  def due(policy: RollingPolicy, parts: Seq[PartStats], nowMillis: Long): Seq[Option[RollReason]] =
    in(policy) match {
      case Some(ofAll) => if (parts.isEmpty) Nil else ofAll.onTick(parts, nowMillis)
      case None        => parts.map(policy.onTime(_, nowMillis))
    }
}
