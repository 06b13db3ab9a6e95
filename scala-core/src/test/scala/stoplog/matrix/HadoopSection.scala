package stoplog.matrix

import stoplog.fault.Step

/** What the long run tries on a file system of Hadoop's. */
final class HadoopSection(storage: Storage) {

  /** Where most is tried, and where layout and content are other ones. */
  val (main, other) = {
    val sites = Site.all(storage)
    (sites.head, sites.last)
  }

  /** Each step comes first once, and once second. */
  val pairs: Seq[(Step, Step)] = storage.steps.indices.map { n =>
    storage.steps(n) -> storage.steps((n * HadoopSection.Stride + 1) % storage.steps.size)
  }

  /** Which of `last` occurrences. */
  def tried(site: Site, fate: Fate, step: Step, last: Int): Seq[Int] =
    if (site == main) storage.occurrences(fate, last).distinct
    else Seq(last).filter(_ => fate == inTurn(step))

  def render(occurrences: Map[Step, Int], batchOccurrences: BatchMode => Map[Step, Int]): String = {
    def cell(fate: Fate)(step: Step) =
      s"${MatrixPage.Result} (${tried(main, fate, step, occurrences(step)).mkString(", ")})"
    val table = MatrixPage.table(
      storage.steps,
      step => occurrences(step).toString,
      storage.fates.map(fate => fate.name -> cell(fate) _)
    )
    val text = MatrixPage.paragraph(
      s"Read with ${storage.reader}. With the unfinished parts and the content ${main.name} the occurrences of each " +
        s"step are tried whose numbers are in the table. With ${other.name} each step is tried once more, at its last " +
        s"occurrence, the fates taking turns.$sameFates"
    )
    val chains = MatrixPage.paragraph(
      "A process is killed at the first of these steps, and its successor at the second: " +
        pairs.map { case (step, next) => s"`${step.name}` and `${next.name}`" }.mkString("", ", ", ".")
    )
    val batches = BatchSection.render(storage, batchOccurrences)
    (Seq(s"## ${storage.name}", text, table, chains) ++ storage.besides.map(MatrixPage.paragraph) :+ batches)
      .mkString("\n\n")
  }

  private def sameFates: String =
    if (storage.fates.contains(Fate.Frozen)) ""
    else s" A process that is ${Fate.Frozen.name} for ever looks as if killed."

  private def inTurn(step: Step): Fate = storage.fates(storage.steps.indexOf(step) % storage.fates.size)
}

private object HadoopSection {

  /** Has no divisor in common with the number of steps. */
  private val Stride = 7
}
