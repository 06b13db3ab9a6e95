package stoplog.matrix

import stoplog.fault.Step

/** What the long run on local disks tries. */
object LocalSection {

  /** Where the long run leaves nothing out. */
  def thorough(site: Site): Boolean = (site.layout == Layout.Staging) == (site.content == Content.Plain)

  def render(
      occurrences: Map[Step, Int],
      blockOccurrences: Map[Step, Int],
      batchOccurrences: Map[Step, Int],
      thorough: Seq[Site],
      sparse: Seq[Site]
  ): String =
    s"""## ${Storage.Local.name}
       |
       |Read with ${Storage.Local.reader}. With the unfinished parts and the content {thorough}
       |every occurrence is tried, and every pair of steps besides: the successor of a killed process is killed, too.
       |With ${MatrixPage.named(sparse)} the first, the middle and the last occurrence.
       |
       |{queries}
       |
       |### Batch jobs
       |
       |A batch write in mode overwrite is killed at each occurrence of each step, with every content. The
       |next job under the path then deals with what it finds. "$BatchResult" means: readers see all old rows and no
       |new one if the process died before its record, and all new rows and no old one otherwise; each row once.
       |
       |{batches}
       |""".stripMargin
      .replace("{thorough}", MatrixPage.named(thorough))
      .replace(
        "{queries}",
        table(
          Storage.Local.steps,
          MatrixPage.each(occurrences, blockOccurrences)(upTo),
          Fate.all.map(_.name -> MatrixPage.Result)
        )
      )
      .replace(
        "{batches}",
        table(Steps.ofBatchJobs, step => upTo(batchOccurrences(step)), Seq(Fate.Killed.name -> BatchResult))
      )

  private def table(steps: Seq[Step], occurrences: Step => String, results: Seq[(String, String)]): String =
    MatrixPage.table(steps, occurrences, results.map { case (fate, result) => fate -> ((_: Step) => result) })

  private def upTo(last: Int): String = if (last == 1) "1" else s"1 to $last"

  private val BatchResult = "old or new, whole"
}
