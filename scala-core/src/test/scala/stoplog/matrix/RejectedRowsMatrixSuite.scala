package stoplog.matrix

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Parallel

/** Rows that are put aside are there once as well, whatever is stopped when: the same record decides over both.
  *
  * Every step, its first and its last occurrence; in a long run all of them, in each layout.
  */
class RejectedRowsMatrixSuite extends AnyFunSuite {
  private val long = sys.env.get("STOPLOG_LONG").exists(_.nonEmpty)

  for {
    layout <- if (long) Storage.Local.layouts else Seq(Layout.Staging)
    fate   <- Storage.Local.fates
    site = Site(Storage.Local, layout, Content.Refusing)
  }
    test(s"rows are put aside, and at each step a process is ${fate.name}: ${layout.name}") {
      val occurrences = Crash.occurrences(site)
      assert(occurrences.keySet === site.steps.toSet)
      val crashes = for {
        step       <- site.steps
        occurrence <- if (long) 1 to occurrences(step) else Seq(1, occurrences(step)).distinct
      } yield Crash(site, Doom.At(step, occurrence), fate, again = None)
      Parallel.bounded(Threads).map(crashes)(crash => crash -> crash.verdict()).foreach {
        case (crash, verdict) =>
          assert(verdict.struck, s"$crash was not reached")
          assert(verdict.problems.isEmpty, s"$crash:\n${verdict.problems.take(12).mkString("\n")}")
      }
    }

  private def Threads = 2
}
