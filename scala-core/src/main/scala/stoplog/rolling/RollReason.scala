// SPDX-License-Identifier: Apache-2.0
package stoplog.rolling

/** The reason why a part was closed. Used as the label of a metric, in the log, and in assertions of tests.
  */
sealed abstract class RollReason(val word: String) extends Product with Serializable

object RollReason {

  /** The part holds more bytes than the policy's limit, or the maximum that its store accepts. */
  case object Size extends RollReason("size")

  /** The part holds the policy's limit of records. */
  case object Records extends RollReason("records")

  /** The part has been open for the rollover interval. */
  case object Age extends RollReason("age")

  /** No row was written to the part for the inactivity interval. */
  case object Inactivity extends RollReason("inactivity")

  /** A row's event time was later than the part's first event time by the event-time interval or more. */
  case object EventTime extends RollReason("eventTime")

  /** The policy closes every part at the end of its epoch. */
  case object Checkpoint extends RollReason("checkpoint")

  /** The task had more open parts than `maxOpenParts`. */
  case object OpenLimit extends RollReason("openLimit")

  /** The part's bucket is complete. */
  case object Complete extends RollReason("complete")

  /** The query or the batch write ended. */
  case object End extends RollReason("end")

  /** A custom policy's own word. */
  final case class Custom(name: String) extends RollReason(name)

  /** All reasons except custom reasons. */
  val named: Seq[RollReason] =
    Seq(Size, Records, Age, Inactivity, EventTime, Checkpoint, OpenLimit, Complete, End)

  /** Returns the reason with this word, as read from a record. */
  def fromWord(word: String): RollReason = named.find(_.word == word).getOrElse(Custom(word))
}
