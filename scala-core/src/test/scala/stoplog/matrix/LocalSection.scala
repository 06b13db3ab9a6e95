// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.fault.Step

/** What the long run on local disks tries. */
object LocalSection {

  /** Where the long run leaves nothing out. */
  def thorough(site: Scenario): Boolean = (site.layout == Layout.Staging) == (site.content == Content.Plain)

  def render(
      occurrences: Map[Step, Int],
      blockOccurrences: Map[Step, Int],
      batchOccurrences: BatchMode => Map[Step, Int],
      thorough: Seq[Scenario],
      sparse: Seq[Scenario]
  ): String =
    s"""## ${Storage.Local.name}
       |
       |Read with ${Storage.Local.reader}. With the unfinished parts and the content {thorough}
       |every occurrence is tried, and every pair of steps besides: the successor of a killed process is killed, too.
       |With ${MatrixPage.named(sparse)} the first, the middle and the last occurrence.
       |
       |{queries}
       |
       |{batches}""".stripMargin
      .replace("{thorough}", MatrixPage.named(thorough))
      .replace(
        "{queries}",
        MatrixPage.table(
          Storage.Local.steps,
          Seq("" -> occurrences, "blocks: " -> blockOccurrences),
          CrashMode.all.map(_.name -> MatrixPage.Result)
        )
      )
      .replace("{batches}", BatchSection.render(Storage.Local, batchOccurrences))
}
