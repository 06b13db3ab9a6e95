// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import stoplog.commit.Liveness

/** One action of a tool, or a subject kept unchanged, with the reason.
  *
  * @param word  the action as one word
  * @param bytes the bytes of the part, if any
  * @param rows  the rows of the part, if any
  */
sealed abstract class AdminAction(
    val word: String,
    val bytes: Option[Long] = None,
    val rows: Option[Long] = None
) extends Product
    with Serializable {

  /** Returns the object of the action: a path under the sink's path, or the number of a record. */
  def subject: String

  /** Returns the reason, as a clause. */
  def reason: String
}

object AdminAction {

  /** Publishes a part already decided by a record. */
  final case class Publish(subject: String, sizeBytes: Long, records: Long, reason: String)
      extends AdminAction("publish", Some(sizeBytes), Some(records))

  /** Closes an open part at its last committed length and publishes the part. */
  final case class Finish(subject: String, sizeBytes: Long, records: Long, reason: String)
      extends AdminAction("finish", Some(sizeBytes), Some(records))

  /** Deletes a file not needed by any record. */
  final case class Remove(subject: String, reason: String) extends AdminAction("remove")

  /** Makes a hidden file visible again. */
  final case class Restore(subject: String, reason: String) extends AdminAction("restore")

  /** Keeps the subject unchanged, by the given rule. */
  final case class Keep(subject: String, reason: String) extends AdminAction("spare")

  /** Hides a finished part and keeps its content at `to`. */
  final case class MoveAside(subject: String, to: String, records: Long, reason: String)
      extends AdminAction("moveAside", rows = Some(records))

  /** Publishes the first rows of a finished part as a separate part. */
  final case class Cut(subject: String, sizeBytes: Long, records: Long, reason: String)
      extends AdminAction("cut", Some(sizeBytes), Some(records))

  /** Copies a record of the log. */
  final case class KeepRecord(subject: String, to: String, reason: String) extends AdminAction("keepRecord")

  /** Records the next owner of the log, and the position where this owner continues. */
  final case class Handover(subject: String, reason: String) extends AdminAction("hand")

  /** Delivers the waiting announcements of one log to one target. */
  final case class Announce(subject: String, reason: String) extends AdminAction("announce")

  /** Allows a query to write at least this number of rows again. */
  final case class Repeat(subject: String, records: Long, reason: String)
      extends AdminAction("repeat", rows = Some(records))

  /** The result of a check. */
  final case class Found(subject: String, verdict: FileCondition, reason: String)
      extends AdminAction(verdict.word)

  sealed abstract class FileCondition(val word: String) extends Product with Serializable
  object FileCondition {
    case object Whole  extends FileCondition("whole")
    case object Broken extends FileCondition("broken")

    /** The file existed before. A reader may have removed it, or a copy may have omitted it. */
    case object Missing extends FileCondition("missing")
  }

  /** The next step for an operator. */
  final case class Advise(subject: String, reason: String) extends AdminAction("advise")
}

/** The actions that a tool would perform now. Creating the plan changes nothing.
  *
  * @param command  the name of the tool
  * @param liveness the known state of the sink's driver
  * @param actions  the actions, in order of execution
  */
final class AdminPlan private[admin] (
    val command: String,
    val liveness: Liveness,
    val actions: Vector[AdminAction],
    carry: WhenAlive => Unit
) {

  /** Executes the plan. The log must not have changed since the plan was created.
    *
    * After a failure, a new plan can be executed. The new plan executes earlier decisions first.
    *
    * Errors: `STOPLOG_DRIVER_ALIVE`, before any change; `STOPLOG_FENCED` if a driver has written to the log
    * in the meantime; errors of the storage.
    */
  def carryOut(whenAlive: WhenAlive = WhenAlive.Refuse): Unit = carry(whenAlive)
}

/** The handling of a driver that may be alive. */
sealed trait WhenAlive extends Product with Serializable
object WhenAlive {

  /** Leaves the sink unchanged. */
  case object Refuse extends WhenAlive

  /** Fences the driver, which is known to be dead or may fail. Rows are never lost or duplicated. */
  case object Fence extends WhenAlive
}
