// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.fault.Step

/** What the long run tries of queries that merge their small parts. */
final class CompactionSection(storage: Storage) {
  val sites: Vector[Scenario] = storage.layouts.map(Scenario(storage, _, Content.Compacted))

  /** The steps around the record of a merge. */
  val around: Set[Step] = Set(Step.AfterRecord, Step.MidPublish, Step.AfterPublish, Step.AfterMark)

  /** Which of `last` occurrences. */
  def tried(fate: CrashMode, last: Int): Seq[Int] =
    if (storage == Storage.Local) 1 to last else storage.occurrences(fate, last).distinct

  /** The steps at which a process and then its successor is killed. */
  def pairs(site: Scenario): Seq[(Step, Step)] = {
    val merging = site.steps.filter(Steps.compacting)
    val next    = site.steps.filter(step => Steps.compacting(step) || around(step))
    for {
      first  <- merging
      second <- next
    } yield first -> second
  }

  def render(occurrences: Scenario => Map[Step, Int]): String = {
    val text = MatrixPage.paragraph(
      s"Read with ${storage.reader}. The parts of an epoch are small, and are merged once there are a few of them. At " +
        "no moment does a reader see a row twice, and at the end nothing is left of what was merged."
    )
    val chains = MatrixPage.paragraph(
      "A process is killed at one of " + names(sites.head.steps.filter(Steps.compacting)) +
        ", and its successor at one of these or at " + names(sites.head.steps.filter(around)) + ": all pairs."
    )
    val alike  = sites.groupBy(occurrences).toSeq.sortBy { case (_, same) => sites.indexOf(same.head) }
    val tables = alike.flatMap { case (found, same) =>
      Seq(s"With ${MatrixPage.named(same)}:", table(same.head, found))
    }
    (Seq(s"## ${MatrixSection.Compacting(storage).title}", text) ++ tables :+ chains)
      .mkString("", "\n\n", "\n")
  }

  private def table(site: Scenario, occurrences: Map[Step, Int]): String = {
    def cell(fate: CrashMode)(step: Step) =
      s"${MatrixPage.Result} (${numbers(tried(fate, occurrences(step)))})"
    MatrixPage.table(
      site.steps,
      step => occurrences(step).toString,
      storage.fates.map(fate => fate.name -> cell(fate) _)
    )
  }

  private def numbers(tried: Seq[Int]): String =
    if (tried.size > 2) s"${tried.head} to ${tried.last}" else tried.mkString(", ")

  private def names(steps: Seq[Step]): String = steps.map(step => s"`${step.name}`").mkString(", ")
}
