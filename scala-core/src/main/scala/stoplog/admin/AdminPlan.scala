// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import stoplog.commit.Liveness

/** The actions that a tool would carry out now. Making the plan changes nothing.
  *
  * @param command  which tool
  * @param liveness whether a driver is at work on the sink, as far as can be told
  * @param actions  in the order in which they are done
  */
final class AdminPlan private[admin] (
    val command: String,
    val liveness: Liveness,
    val actions: Vector[AdminAction],
    carry: WhenAlive => Unit
) {

  /** Does it. The log must not have changed since the plan was made.
    *
    * It may be done again after a failure, with a new plan: the decisions so far are carried out first.
    *
    * Errors: `STOPLOG_DRIVER_ALIVE`, before anything is changed; `STOPLOG_FENCED` when a driver has written to the log
    * since; those of the storage.
    */
  def carryOut(whenAlive: WhenAlive = WhenAlive.Refuse): Unit = carry(whenAlive)
}

/** The treatment of a driver that may be alive. */
sealed trait WhenAlive extends Product with Serializable
object WhenAlive {

  /** Leave its sink alone. */
  case object Refuse extends WhenAlive

  /** Fences it: the operator knows that it is dead, or wants it to fail. No row is lost or doubled in any case. */
  case object Fence extends WhenAlive
}
