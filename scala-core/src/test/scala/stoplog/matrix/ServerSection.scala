package stoplog.matrix

import stoplog.fault.Step

/** What the long run on a storage with servers tries. */
final class ServerSection(storage: Storage) {
  private val (rows, inBlocks) = Site.all(storage).partition(_.content != Content.Blocks)

  /** Where most is tried, and where layout and content are other ones. */
  val (main, other) = (rows.head, rows.last)

  /** Where as much is tried as on [[main]], with parts of blocks. */
  val blocks: Option[Site] = inBlocks.headOption

  /** Each step comes first once, and once second. */
  def pairs(site: Site): Seq[(Step, Step)] = {
    val steps  = site.steps
    val stride = if (steps.size % 7 == 0) 5 else 7 // nothing that divides their number
    steps.indices.map(n => steps(n) -> steps((n * stride + 1) % steps.size))
  }

  /** Which of `last` occurrences. */
  def tried(site: Site, fate: Fate, step: Step, last: Int): Seq[Int] =
    if (site != other) storage.occurrences(fate, last).distinct
    else Seq(last).filter(_ => fate == inTurn(step))

  def render(occurrences: Site => Map[Step, Int]): String = {
    def table(site: Site) = {
      def cell(fate: Fate)(step: Step) =
        s"${MatrixPage.Result} (${tried(site, fate, step, occurrences(site)(step)).mkString(", ")})"
      MatrixPage.table(
        site.steps,
        step => occurrences(site)(step).toString,
        storage.fates.map(fate => fate.name -> cell(fate) _)
      )
    }
    def killed(site: Site) =
      pairs(site).map { case (step, next) => s"`${step.name}` and `${next.name}`" }.mkString(", ")
    def ofBlocks(site: Site) =
      s"\nThe same with ${site.name}:\n\n${table(site)}\n\nAnd these pairs: ${killed(site)}.\n"
    s"""## ${storage.name}
       |
       |Read with ${storage.reader}. With the unfinished parts and the content ${main.name} the occurrences of each
       |step are tried whose numbers are in the table. With ${other.name} each step is tried once more, at its last
       |occurrence, the fates taking turns.{same}
       |
       |{table}
       |
       |A process is killed at the first of these steps, and its successor at the second:
       |${killed(main)}.
       |{blocks}
       |${storage.besides} `TwoDriversSuite` lets two drivers work at once: the older one publishes nothing.
       |""".stripMargin
      .replace("{table}", table(main))
      .replace("{blocks}", blocks.fold("")(ofBlocks))
      .replace("{same}", sameFates)
  }

  private def sameFates: String =
    if (storage.fates.contains(Fate.Frozen)) ""
    else s" A process that is ${Fate.Frozen.name} for ever looks as if killed."

  private def inTurn(step: Step): Fate = storage.fates(other.steps.indexOf(step) % storage.fates.size)
}
