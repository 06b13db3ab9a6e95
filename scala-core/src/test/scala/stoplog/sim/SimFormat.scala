// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.format.bulk.LineBlocks
import stoplog.plan.Attempt
import stoplog.storage.SpoolFiles
import stoplog.writing.PartFormat

/** What the parts of a schedule are made of. */
sealed trait SimFormat extends Product with Serializable {

  /** For one attempt of a task, or for one part that the driver ends. */
  def open(spoolFiles: SpoolFiles, attempt: Attempt = Attempt.First): PartFormat[String]

  /** What a run writes that is set otherwise. */
  def other: SimFormat

  /** Fails on a part that no reader could read. */
  def check(finished: String): Unit
}

object SimFormat {

  /** Each row at once. */
  case object Lines extends SimFormat {
    override def open(spoolFiles: SpoolFiles, attempt: Attempt): PartFormat[String] = LineFormat
    override def other: SimFormat                                                   = this
    override def check(finished: String): Unit                                      = ()
  }

  /** In blocks, which end with an epoch that fills half of one; the rows in between are kept beside their part. What an attempt writes depends on what its process has
    * learned of former blocks, so a repeated one ends them later.
    */
  final case class Blocks(bytes: Long) extends SimFormat {
    override def open(spoolFiles: SpoolFiles, attempt: Attempt): PartFormat[String] = attempt match {
      case Attempt.First    => LineBlocks.parts(bytes, spoolFiles, largeBytes = bytes / 2)
      case Attempt.Repeated => LineBlocks.parts(2 * bytes, spoolFiles, describedAs = Some(bytes))
    }
    override def other: SimFormat              = Blocks(bytes / 2)
    override def check(finished: String): Unit = {
      LineBlocks.read(finished)
      ()
    }
  }
}
