package stoplog.sim

import stoplog.commit.PartFormat
import stoplog.format.bulk.LineBlocks
import stoplog.store.SideStore

/** What the parts of a schedule are made of. */
sealed trait SimFormat extends Product with Serializable {

  /** For one task, or for one part that the driver ends. */
  def open(sides: SideStore): PartFormat[String]

  /** What a run writes that is set otherwise. */
  def other: SimFormat

  /** Fails on a part that no reader could read. */
  def check(finished: String): Unit
}

object SimFormat {

  /** Each row at once. */
  case object Lines extends SimFormat {
    override def open(sides: SideStore): PartFormat[String] = LineFormat
    override def other: SimFormat                           = this
    override def check(finished: String): Unit              = ()
  }

  /** In blocks; the rows in between are kept beside their part. */
  final case class Blocks(bytes: Long) extends SimFormat {
    override def open(sides: SideStore): PartFormat[String] = LineBlocks.parts(bytes, sides)
    override def other: SimFormat                           = Blocks(bytes / 2)
    override def check(finished: String): Unit              = {
      LineBlocks.read(finished)
      ()
    }
  }
}
