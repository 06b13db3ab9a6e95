// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.storage.Durability

/** One of a few words that an option may be set to. */
sealed trait Choice extends Product with Serializable {

  /** How the option spells it. */
  def word: String
}

/** What to do when the log of this sink belongs to another query, that is, to another checkpoint. */
sealed abstract class OnForeignQuery(val word: String) extends Choice

object OnForeignQuery {

  /** Refuse to start. */
  case object Fail extends OnForeignQuery("fail")

  /** Take the log over, its open parts included. */
  case object Adopt extends OnForeignQuery("adopt")

  val all: Seq[OnForeignQuery] = Seq(Fail, Adopt)
}

/** Whether the open parts are finished when a query ends without a failure. */
sealed abstract class FinalizeOnTermination(val word: String) extends Choice

object FinalizeOnTermination {

  /** With the triggers availableNow and once, whose queries end by themselves. */
  case object Auto extends FinalizeOnTermination("auto")

  case object Always extends FinalizeOnTermination("always")

  /** They wait for the next start. */
  case object Never extends FinalizeOnTermination("never")

  val all: Seq[FinalizeOnTermination] = Seq(Auto, Always, Never)
}

/** What a start of a query does with the parts that an earlier one has left open. */
sealed abstract class OnRestart(val word: String) extends Choice

object OnRestart {

  /** It goes on in them. */
  case object Continue extends OnRestart("continue")

  /** It cuts them to their committed length and publishes them. */
  case object Finish extends OnRestart("finish")

  val all: Seq[OnRestart] = Seq(Continue, Finish)
}

/** What to do when a part that the log names is neither where it was written nor where it would be published.
  */
sealed abstract class OnLostPart(val word: String) extends Choice

object OnLostPart {
  case object Fail extends OnLostPart("fail")

  /** Go on without its rows. */
  case object Skip extends OnLostPart("skip")

  val all: Seq[OnLostPart] = Seq(Fail, Skip)
}

/** What to do with a row that cannot be written. */
sealed abstract class OnBadRow(val word: String) extends Choice

object OnBadRow {

  /** The query fails; nothing of the epoch is published. */
  case object Fail extends OnBadRow("fail")

  /** It is put aside, and published with its epoch where readers of the data do not look. */
  case object Reject extends OnBadRow("reject")

  val all: Seq[OnBadRow] = Seq(Fail, Reject)
}

/** What to do when rows have other columns than those of the run before. */
sealed abstract class OnSchemaChange(val word: String) extends Choice

object OnSchemaChange {

  /** Refuse to start. */
  case object Fail extends OnSchemaChange("fail")

  /** Go on if whoever knows the old columns can read the new rows as well. */
  case object Additive extends OnSchemaChange("additive")

  /** Go on; parts that cannot hold both end with the columns they have. */
  case object Roll extends OnSchemaChange("roll")

  val all: Seq[OnSchemaChange] = Seq(Fail, Additive, Roll)
}

/** Whether finished parts are merged. */
sealed abstract class CompactionMode(val word: String) extends Choice

object CompactionMode {

  /** They stay as they are. */
  case object None extends CompactionMode("none")

  /** Those that are small. */
  case object SmallParts extends CompactionMode("smallParts")

  val all: Seq[CompactionMode] = Seq(None, SmallParts)
}

/** The words of [[stoplog.storage.Durability]]. */
sealed abstract class DurabilityChoice(val word: String, val durability: Durability) extends Choice

object DurabilityChoice {
  case object Disk    extends DurabilityChoice("disk", Durability.Disk)
  case object Process extends DurabilityChoice("process", Durability.Process)

  val all: Seq[DurabilityChoice] = Seq(Disk, Process)
}

/** A table that shows the state of a sink. */
sealed abstract class View(val word: String) extends Choice

object View {

  /** Every part that the kept records name: finished, pending or open. */
  case object Parts extends View("parts")

  /** The kept epochs. */
  case object Epochs extends View("epochs")

  /** The parts that are open after the newest record. */
  case object Open extends View("open")

  /** The buckets that have rows and no marker for them yet. */
  case object Buckets extends View("buckets")

  val all: Seq[View] = Seq(Parts, Epochs, Open, Buckets)
}
