// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

/** One thing that a tool does, or leaves, and why.
  *
  * @param word what is done, in one word
  */
sealed abstract class AdminAction(val word: String) extends Product with Serializable {

  /** The object of the action: a path under the sink's path, or the number of a record. */
  def subject: String

  /** Why, in half a sentence. */
  def reason: String

  /** Of the part, where it is one. */
  def bytes: Option[Long] = None

  /** Of the part, where it is one. */
  def rows: Option[Long] = None
}

object AdminAction {

  /** Makes visible what a record has decided already. */
  final case class Publish(subject: String, sizeBytes: Long, records: Long, reason: String)
      extends AdminAction("publish") {
    override def bytes: Option[Long] = Some(sizeBytes)
    override def rows: Option[Long]  = Some(records)
  }

  /** Closes an open part where its last committed epoch left it, and makes it visible. */
  final case class Finish(subject: String, sizeBytes: Long, records: Long, reason: String)
      extends AdminAction("finish") {
    override def bytes: Option[Long] = Some(sizeBytes)
    override def rows: Option[Long]  = Some(records)
  }

  /** Deletes a file that no record needs. */
  final case class Remove(subject: String, reason: String) extends AdminAction("remove")

  /** Leaves what is there, by this rule. */
  final case class Spare(subject: String, reason: String) extends AdminAction("spare")

  /** Takes a finished part out of the readers' sight, and keeps it at `to`. */
  final case class MoveAside(subject: String, to: String, records: Long, reason: String)
      extends AdminAction("moveAside") {
    override def rows: Option[Long] = Some(records)
  }

  /** Makes the first rows of a finished part visible in one of their own. */
  final case class Cut(subject: String, sizeBytes: Long, records: Long, reason: String)
      extends AdminAction("cut") {
    override def bytes: Option[Long] = Some(sizeBytes)
    override def rows: Option[Long]  = Some(records)
  }

  /** Copies a record of the log. */
  final case class KeepRecord(subject: String, to: String, reason: String) extends AdminAction("keepRecord")

  /** Notes in the log who goes on with it, and from where. */
  final case class Hand(subject: String, reason: String) extends AdminAction("hand")

  /** Something that is as it should be, or not. */
  final case class Found(subject: String, verdict: Verdict, reason: String) extends AdminAction(verdict.word)

  sealed abstract class Verdict(val word: String) extends Product with Serializable
  object Verdict {
    case object Whole  extends Verdict("whole")
    case object Broken extends Verdict("broken")
  }

  /** For people: what to do next. */
  final case class Advise(subject: String, reason: String) extends AdminAction("advise")
}
