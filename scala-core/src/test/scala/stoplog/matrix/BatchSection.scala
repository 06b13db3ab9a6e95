// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.fault.Step

/** What a long run tries with batch jobs. */
object BatchSection {

  /** @param occurrences how many there are of each step, by mode */
  def render(storage: Storage, occurrences: BatchMode => Map[Step, Int]): String =
    ("### Batch jobs" +: storage.batchModes.flatMap { mode =>
      val text = MatrixPage.paragraph(
        s"A batch write in mode ${mode.name} is killed at each occurrence of each step. The next job under the path, " +
          s"some days later, then deals with what it finds. \"${mode.result}\" means: ${mode.meaning}"
      )
      val results = Seq(CrashMode.Killed.name -> mode.result)
      Vector(text, MatrixPage.table(storage.batchSteps(mode), Seq("" -> occurrences(mode)), results))
    }).mkString("", "\n\n", "\n")
}
