package stoplog.matrix

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Parallel
import stoplog.fault.Step
import stoplog.format.SparkSessionForTests

/** Every format on every storage: after a crash at any step, Spark reads back the rows of all types that were written.
  *
  * The other readers see the same files in `tests/test_bulk.py` and `tests/test_crashes.py`. A long run tries every
  * step everywhere, the ordinary one some of them on three storages.
  */
class FormatLawsSuite extends AnyFunSuite with SparkSessionForTests {
  private val long = sys.env.get("STOPLOG_LONG").exists(_.nonEmpty)

  for {
    storage <- if (long) Storage.all else Vector(Storage.Local, Storage.Hdfs, Storage.S3)
    format  <- TypedFormat.all
    site = Site(storage, Layout.Staging, TypedContent(format))
    if !(storage == Storage.CreateOnly && format.without.isEmpty)
  }
    test(s"${format.name} on ${storage.name}: killed at each step, all rows come back") {
      spark // the reader's
      val crashes = steps(site).map(step => Crash(site, Doom.At(step, 1), Fate.Killed, again = None))
      Parallel.bounded(Threads).map(crashes)(crash => crash -> crash.verdict()).foreach {
        case (crash, verdict) =>
          assert(verdict.struck, s"$crash was not reached")
          assert(verdict.problems.isEmpty, s"$crash:\n${verdict.problems.take(12).mkString("\n")}")
      }
    }

  private def steps(site: Site): Seq[Step] =
    if (long) site.steps
    else if (site.storage == Storage.Local) sample.filter(site.steps.contains)
    else Seq(Step.AfterSync)

  private def sample  = Seq(Step.AfterSync, Step.PartEnded)
  private val Threads = 2
}
