// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import org.scalatest.funsuite.AnyFunSuite

import stoplog.fault.Faults
import stoplog.rolling.RollReason

/** A part that is open over epochs and restarts goes on counting from its first row, whatever is stopped when.
  *
  * A kill at each step, at its middle occurrence, where parts are rows; in a long run all fates, parts of blocks, and the
  * first and the last occurrence as well.
  */
class EventTimeMatrixSuite extends AnyFunSuite with Cells {
  override protected def threads: Int = 2

  for {
    content <- Seq(Content.Plain, Content.Blocks)
    site = Scenario(Storage.Local, Layout.Staging, Content.ByEventTime(content))
  } {
    lazy val occurrences = Crash.occurrences(site)

    test(s"a query that closes parts by event times passes every step: ${content.name}") {
      assert(occurrences.keySet === site.steps.toSet)
    }

    test(s"event times close parts of two runs: ${content.name}") {
      val place = site.newPlace()
      try {
        new ProcessRun(place, Crash.clock(), new CrashPoint(None), Checkpoint.empty, ProcessRun.planned)
        val log     = place.log(Faults.none)
        val reasons = log.all().flatMap(_.publish).map(_.reason)
        assert(reasons.count(_ == RollReason.EventTime) > 2, reasons)
      } finally place.remove()
    }

    for (
      fate <- if (long) Storage.Local.fates else Seq(CrashMode.Killed).filter(_ => content == Content.Plain)
    )
      test(s"event-time parts survive a process ${fate.name} at each step: ${content.name}") {
        hold(for {
          step <- site.steps
          last   = occurrences(step)
          middle = (last + 1) / 2
          occurrence <- if (long) Seq(1, middle, last).distinct else Seq(middle)
        } yield Crash(site, CrashPoint.At(step, occurrence), fate, again = None))
      }
  }
}
