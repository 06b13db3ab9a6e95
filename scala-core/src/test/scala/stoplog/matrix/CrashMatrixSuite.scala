// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.fault.Step

/** On local disks every occurrence of each step and every pair of steps in a long run. Otherwise kills at the first and the
  * last occurrence in staged parts of rows, where processes freeze, too, and at the last one in staged parts of blocks,
  * where they wake again; and a kill at each step elsewhere, where no other code decides.
  */
class CrashMatrixSuite extends MatrixSuite(Storage.Local) {
  private val (thorough, sparse) = sites.partition(LocalSection.thorough)
  private val (rows, blocks)     = (sites.head, sites.filter(_.content == Content.Blocks).head)

  private def alike(site: Scenario): Scenario = if (site.content == Content.Blocks) blocks else rows

  override protected def threads: Int = 2

  testOccurrences(sites)

  test("all layouts and contents pass each step equally often") {
    for (site <- sites) assert(occurrences(site) === occurrences(alike(site)), site.name)
  }

  testFates(sites)

  test("a task that wakes at any step harms no parts finished in the meantime") {
    hold(for {
      step       <- rows.steps.filter(Steps.ofTasks)
      occurrence <- some(occurrences(rows)(step))
    } yield Crash(rows, CrashPoint.At(step, occurrence), CrashMode.Woken, again = None))
  }

  test("a task that wakes between spooling rows and writing blocks changes no rows") {
    hold(for {
      step       <- Seq(Step.BeforeSync, Step.SpoolWritten)
      occurrence <- some(occurrences(blocks)(step))
    } yield Crash(blocks, CrashPoint.At(step, occurrence), CrashMode.Woken, again = None))
  }

  test("a successor recovers at each step although every file has another name") {
    hold(
      for {
        site       <- if (long) thorough else Seq(rows)
        step       <- site.steps
        occurrence <- if (long) 1 to occurrences(site)(step) else Seq((occurrences(site)(step) + 1) / 2)
      } yield Crash(
        site,
        CrashPoint.At(step, occurrence),
        CrashMode.Killed,
        again = None,
        DirectoryCopier.HardLinks
      )
    )
  }

  if (long)
    for (site <- thorough)
      testPairs(
        site,
        for {
          step <- site.steps
          next <- site.steps
        } yield step -> next
      )

  // A batch job stages its parts in its own directory, whatever the layout of the sink.
  testBatchJobs(sites.filter(_.layout == Layout.Staging))((_, last) => 1 to last)

  testPage()

  /** Of the occurrences of a step, one in six outside a long run, the last among them. */
  private def some(last: Int): Seq[Int] = if (long) 1 to last else last to 1 by -6

  override protected def section: String =
    LocalSection.render(occurrences(rows), occurrences(blocks), batchOccurrences(_), thorough, sparse)

  override protected def tried(site: Scenario, fate: CrashMode, step: Step, last: Int): Seq[Int] =
    if (long && LocalSection.thorough(site)) 1 to last
    else if (long) Seq(1, (last + 1) / 2, last).distinct
    else if (site != rows && site != blocks)
      Seq(last)
        .filter(_ =>
          fate == CrashMode.Killed && site.content == Content.Gzip && site.layout != Layout.Staging
        )
    else
      fate match {
        case CrashMode.Killed => if (site == rows) Seq(1, last).distinct else Seq(last)
        case CrashMode.Frozen => Seq(1).filter(_ => site == rows)
        case CrashMode.Woken  => Seq(last).filter(_ => site == blocks)
      }
}
