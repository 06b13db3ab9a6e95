// SPDX-License-Identifier: Apache-2.0
package stoplog.rolling

/** The reason for which a part was closed: the metric's label, the word in the log, and what tests assert. */
sealed abstract class RollReason(val word: String) extends Product with Serializable

object RollReason {

  /** It holds more than the policy's number of bytes, or as much as its store takes. */
  case object Size extends RollReason("size")

  /** It holds the policy's number of records. */
  case object Records extends RollReason("records")

  /** It has been open for the rollover interval. */
  case object Age extends RollReason("age")

  /** Nothing was written to it for the inactivity interval. */
  case object Inactivity extends RollReason("inactivity")

  /** A row came whose event time is the event-time interval, or more, behind that of its first row. */
  case object EventTime extends RollReason("eventTime")

  /** The policy closes every part at the end of its epoch. */
  case object Checkpoint extends RollReason("checkpoint")

  /** The task had more parts open than `maxOpenParts`. */
  case object OpenLimit extends RollReason("openLimit")

  /** Its bucket is complete. */
  case object Complete extends RollReason("complete")

  /** The query, or the batch write, ended. */
  case object End extends RollReason("end")

  /** A custom policy's own word. */
  final case class Custom(name: String) extends RollReason(name)

  /** All but the custom ones. */
  val named: Seq[RollReason] =
    Seq(Size, Records, Age, Inactivity, EventTime, Checkpoint, OpenLimit, Complete, End)

  /** The reason with this word, as read back from a record. */
  def fromWord(word: String): RollReason = named.find(_.word == word).getOrElse(Custom(word))
}
