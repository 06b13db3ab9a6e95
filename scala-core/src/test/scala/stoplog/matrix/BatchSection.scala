package stoplog.matrix

import stoplog.fault.Step

/** What a long run tries with batch jobs. */
object BatchSection {
  def render(storage: Storage, occurrences: Map[Step, Int]): String = {
    val mode  = storage.batchMode
    val table = MatrixPage.table(storage.batchSteps, occurrences, Seq(Fate.Killed.name -> mode.result))
    val text  = MatrixPage.paragraph(
      s"A batch write in mode ${mode.name} is killed at each occurrence of each step. The next job under the path, some " +
        s"days later, then deals with what it finds. \"${mode.result}\" means: ${mode.meaning}"
    )
    s"### Batch jobs\n\n$text\n\n$table\n"
  }
}
