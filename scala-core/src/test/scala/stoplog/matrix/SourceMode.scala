// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.fault.Step
import stoplog.source.file.CleanSource

/** What becomes of files that have been read. */
sealed abstract class SourceMode(val name: String) extends Product with Serializable {
  def cleaning(place: SourcePlace): CleanSource
  def passes(step: Step): Boolean
}

object SourceMode {

  /** Somebody else deletes some of them. */
  case object Keep extends SourceMode("keep") {
    override def cleaning(place: SourcePlace): CleanSource = CleanSource.Keep
    override def passes(step: Step): Boolean               = !Cleans(step)
  }

  case object Delete extends SourceMode("delete") {
    override def cleaning(place: SourcePlace): CleanSource = CleanSource.Delete
    override def passes(step: Step): Boolean               = step != Step.MidArchive
  }

  case object Archive extends SourceMode("archive") {
    override def cleaning(place: SourcePlace): CleanSource = CleanSource.Archive(place.archive)
    override def passes(step: Step): Boolean               = true
  }

  val all: Vector[SourceMode] = Vector(Keep, Delete, Archive)

  private val Cleans = Set[Step](Step.BeforeClean, Step.MidArchive, Step.FileCleaned, Step.AfterClean)
}
