package stoplog.matrix

import stoplog.fault.Step

/** What the long run on a storage with servers tries. */
object ServerSection {

  /** From a step to the one at which the successor of a process killed there is killed. */
  val Stride: Int = 7

  def render(
      storage: Storage,
      occurrences: Map[Step, Int],
      pairs: Seq[(Step, Step)],
      main: Site,
      others: Seq[Site]
  ): String = {
    val next    = pairs.toMap
    val results = Fate.all.map(_.name -> MatrixPage.Result)
    val table   = MatrixPage.table(storage.steps, step => tried(occurrences(step)).mkString(", "), results)
    s"""## ${storage.name}
       |
       |Read with ${storage.reader}. With the unfinished parts and the content ${main.name} the first, the middle and
       |the last occurrence of each step are tried, and each step in a pair: the successor of a killed process is
       |killed, too.
       |
       |{table}
       |{others}
       |Pairs: ${storage.steps.map(step => s"`${step.name}` then `${next(step).name}`").mkString(", ")}.
       |""".stripMargin.replace("{table}", table).replace("{others}", inTurn(others))
  }

  /** Of so many occurrences of a step. */
  def tried(last: Int): Seq[Int] = Seq(1, (last + 1) / 2, last).distinct

  private def inTurn(others: Seq[Site]): String =
    if (others.isEmpty) ""
    else
      s"\nWith ${MatrixPage.named(others)} the last occurrence of each step is tried once, the fates taking turns.\n"
}
