// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import org.scalatest.funsuite.AnyFunSuite

/** Rows that are put aside are there once as well, whatever is stopped when: the same record decides over both.
  *
  * A kill at each step, at its first and its last occurrence; in a long run all fates and occurrences, in each layout.
  */
class RejectedRowsMatrixSuite extends AnyFunSuite with Cells {
  override protected def threads: Int = 2

  for {
    layout <- if (long) Storage.Local.layouts else Seq(Layout.Staging)
    fate   <- if (long) Storage.Local.fates else Seq(CrashMode.Killed)
    site = Scenario(Storage.Local, layout, Content.Refusing)
  }
    test(s"a query with rejected rows recovers from a process ${fate.name} at each step: ${layout.name}") {
      val occurrences = Crash.occurrences(site)
      assert(occurrences.keySet === site.steps.toSet)
      hold(for {
        step       <- site.steps
        occurrence <- if (long) 1 to occurrences(step) else Seq(1, occurrences(step)).distinct
      } yield Crash(site, CrashPoint.At(step, occurrence), fate, again = None))
    }
}
