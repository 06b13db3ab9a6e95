// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.fault.Step

/** What the long run tries of the file source on one storage. */
final class SourceSection(storage: SourceStorage) {
  val fates: Vector[CrashMode] = Vector(CrashMode.Killed, CrashMode.Woken)

  /** Each step comes first once, and once second. */
  def pairs(mode: SourceMode): Seq[(Step, Step)] = {
    val steps = storage.steps(mode)
    storage match {
      case SourceStorage.Local =>
        for {
          step <- steps
          next <- steps
        } yield step -> next
      case _ => steps.indices.map(n => steps(n) -> steps((n * 5 + 1) % steps.size))
    }
  }

  def render(occurrences: SourceMode => Map[Step, Int]): String = {
    val text = MatrixPage.paragraph(
      s"Files of lines come and go while a query reads them: a large one that is cut, small ones, some renamed in with " +
        "old times, some under names that others had. Those that have been read are kept, deleted or archived " +
        s"(`cleanSource`). ${storage.extent}. A process that is ${CrashMode.Frozen.name} for ever looks as if killed. " +
        s""""$Result" means: each line of each file is in one micro-batch, a micro-batch that is repeated has the same """ +
        "lines, and no file is put away that was not read, or lost on its way to the archive."
    )
    val table = MatrixPage.table(
      Step.ofSources.filter(step => SourceMode.all.exists(storage.steps(_).contains(step))),
      step =>
        SourceMode.all
          .flatMap(mode => occurrences(mode).get(step).map(last => s"${mode.name}: $last"))
          .mkString("; "),
      fates.map(fate => fate.name -> ((_: Step) => MatrixPage.Result))
    )
    val drivers = MatrixPage.paragraph(
      "`SourceDriversSuite` lets several drivers work on one checkpoint at once: all but one are rejected with " +
        "`STOPLOG_FENCED`."
    )
    Seq(s"## ${MatrixSection.Reading(storage).title}", text, table, drivers).mkString("\n\n")
  }

  private def Result = MatrixPage.Result
}
