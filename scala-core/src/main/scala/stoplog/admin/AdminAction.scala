// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import stoplog.commit.Liveness

/** One thing that a tool does, or leaves, and why.
  *
  * @param word  the action, in one word
  * @param bytes of the part, where it is one
  * @param rows  of the part, where it is one
  */
sealed abstract class AdminAction(
    val word: String,
    val bytes: Option[Long] = None,
    val rows: Option[Long] = None
) extends Product
    with Serializable {

  /** The object of the action: a path under the sink's path, or the number of a record. */
  def subject: String

  /** Why, in half a sentence. */
  def reason: String
}

object AdminAction {

  /** Makes visible what a record has decided already. */
  final case class Publish(subject: String, sizeBytes: Long, records: Long, reason: String)
      extends AdminAction("publish", Some(sizeBytes), Some(records))

  /** Closes an open part where its last committed epoch left it, and makes it visible. */
  final case class Finish(subject: String, sizeBytes: Long, records: Long, reason: String)
      extends AdminAction("finish", Some(sizeBytes), Some(records))

  /** Deletes a file that no record needs. */
  final case class Remove(subject: String, reason: String) extends AdminAction("remove")

  /** Brings back to its readers what was out of their sight. */
  final case class Restore(subject: String, reason: String) extends AdminAction("restore")

  /** Leaves the subject as it is, by this rule. */
  final case class Keep(subject: String, reason: String) extends AdminAction("spare")

  /** Takes a finished part out of the readers' sight, and keeps it at `to`. */
  final case class MoveAside(subject: String, to: String, records: Long, reason: String)
      extends AdminAction("moveAside", rows = Some(records))

  /** Makes the first rows of a finished part visible in one of their own. */
  final case class Cut(subject: String, sizeBytes: Long, records: Long, reason: String)
      extends AdminAction("cut", Some(sizeBytes), Some(records))

  /** Copies a record of the log. */
  final case class KeepRecord(subject: String, to: String, reason: String) extends AdminAction("keepRecord")

  /** Notes in the log its next owner, and where that goes on. */
  final case class Handover(subject: String, reason: String) extends AdminAction("hand")

  /** Lets a query write at least so many rows again. */
  final case class Repeat(subject: String, records: Long, reason: String)
      extends AdminAction("repeat", rows = Some(records))

  /** Something that is as it should be, or not. */
  final case class Found(subject: String, verdict: Verdict, reason: String) extends AdminAction(verdict.word)

  sealed abstract class Verdict(val word: String) extends Product with Serializable
  object Verdict {
    case object Whole  extends Verdict("whole")
    case object Broken extends Verdict("broken")

    /** Was there, and may have been taken away by a reader, or left behind by a copy: no record tells. */
    case object Missing extends Verdict("missing")
  }

  /** For people: what to do next. */
  final case class Advise(subject: String, reason: String) extends AdminAction("advise")
}

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
