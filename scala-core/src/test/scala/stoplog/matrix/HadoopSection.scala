// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.fault.Step

/** What the long run tries on a file system of Hadoop's. */
final class HadoopSection(storage: Storage) {
  private val (rows, inBlocks) = Scenario.all(storage).partition(_.content.without.nonEmpty)

  /** Where most is tried, and where layout and content are other ones. */
  val (main, other) = (rows.head, rows.last)

  /** Where as much is tried as on [[main]], with parts of blocks. */
  val blocks: Option[Scenario] = inBlocks.headOption

  /** Each step comes first once, and once second. */
  def pairs(site: Scenario): Seq[(Step, Step)] = {
    val steps  = site.steps
    val stride = if (steps.size % 7 == 0) 5 else 7 // nothing that divides their number
    steps.indices.map(n => steps(n) -> steps((n * stride + 1) % steps.size))
  }

  /** Which of `last` occurrences. */
  def tried(site: Scenario, fate: CrashMode, step: Step, last: Int): Seq[Int] =
    if (site != other) storage.occurrences(fate, last).distinct
    else Seq(last).filter(_ => fate == inTurn(step))

  def render(
      occurrences: Scenario => Map[Step, Int],
      batchOccurrences: BatchMode => Map[Step, Int]
  ): String = {
    val text = MatrixPage.paragraph(
      s"Read with ${storage.reader}. With the unfinished parts and the content ${main.name} the occurrences of each " +
        s"step are tried whose numbers are in the table. With ${other.name} each step is tried once more, at its last " +
        s"occurrence, the fates taking turns.$sameFates"
    )
    val ofBlocks = blocks.toSeq.flatMap { site =>
      Seq(s"The same with ${site.name}:") ++ tables(site, occurrences(site))
    }
    val batches = BatchSection.render(storage, batchOccurrences)
    (Seq(s"## ${storage.name}", text) ++ tables(main, occurrences(main)) ++ ofBlocks ++
      storage.besides.map(MatrixPage.paragraph) :+ batches).mkString("\n\n")
  }

  private def tables(site: Scenario, occurrences: Map[Step, Int]): Seq[String] = {
    def cell(fate: CrashMode)(step: Step) =
      s"${MatrixPage.Result} (${tried(site, fate, step, occurrences(step)).mkString(", ")})"
    val table = MatrixPage.table(
      site.steps,
      step => occurrences(step).toString,
      storage.fates.map(fate => fate.name -> cell(fate) _)
    )
    val chains = MatrixPage.paragraph(
      "A process is killed at the first of these steps, and its successor at the second: " +
        pairs(site).map { case (step, next) => s"`${step.name}` and `${next.name}`" }.mkString("", ", ", ".")
    )
    Seq(table, chains)
  }

  private def sameFates: String =
    if (storage.fates.contains(CrashMode.Frozen)) ""
    else s" A process that is ${CrashMode.Frozen.name} for ever looks as if killed."

  private def inTurn(step: Step): CrashMode = storage.fates(other.steps.indexOf(step) % storage.fates.size)
}
