package stoplog.matrix

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Parallel
import stoplog.fault.Step

/** Every step of a query that merges its small parts, stopped: each row once, nothing else visible, before and after.
  *
  * With `STOPLOG_LONG` every occurrence of each step, and pairs of them; otherwise the steps of compaction and, on local
  * disks, those around its records.
  */
abstract class CompactionMatrixSuite(storage: Storage) extends AnyFunSuite {
  private val long  = sys.env.get("STOPLOG_LONG").exists(_.nonEmpty)
  private val sites = storage.layouts.map(Site(storage, _, Content.Merged))

  private val around = Set[Step](Step.AfterRecord, Step.MidPublish, Step.AfterPublish, Step.AfterMark)

  for (site <- sites) {
    lazy val occurrences = Crash.occurrences(site)

    test(s"an undisturbed query passes every step: ${site.name}") {
      assert(occurrences.keySet === site.steps.toSet)
    }

    for (fate <- storage.fates if site.steps.exists(long || ordinary(fate, _)))
      test(s"stopped at each step, ${fate.name}: ${site.name}") {
        val crashes = for {
          step       <- site.steps if long || ordinary(fate, step)
          occurrence <- tried(occurrences(step), fate)
        } yield Crash(site, Doom.At(step, occurrence), fate, again = None)
        hold(crashes)
      }

    if (long || storage == Storage.Local)
      test(s"killed at each step of compaction, and killed again: ${site.name}") {
        val steps = site.steps.filter(step => Steps.compacting(step) || around(step))
        val pairs = for {
          step <- steps.filter(Steps.compacting)
          next <- if (long) steps else steps.filter(Steps.compacting)
        } yield step -> next
        hold(pairs.map { case (step, next) =>
          Crash(site, Doom.At(step, (occurrences(step) + 1) / 2), Fate.Killed, Some(Doom.At(next, 1)))
        })
      }
  }

  protected def threads: Int = 2

  private def ordinary(fate: Fate, step: Step): Boolean =
    if (storage == Storage.Local) Steps.compacting(step) || around(step)
    else fate == Fate.Killed && Steps.compacting(step)

  private def tried(last: Int, fate: Fate): Seq[Int] =
    if (!long) Seq((last + 1) / 2)
    else if (storage == Storage.Local) 1 to last
    else storage.occurrences(fate, last)

  private def hold(crashes: Seq[Crash]): Unit =
    Parallel.bounded(threads).map(crashes)(crash => crash -> crash.verdict()).foreach {
      case (crash, verdict) =>
        assert(verdict.struck, s"$crash was not reached")
        assert(verdict.problems.isEmpty, s"$crash:\n${verdict.problems.take(12).mkString("\n")}")
    }
}

class LocalCompactionMatrixSuite extends CompactionMatrixSuite(Storage.Local)

class HdfsCompactionMatrixSuite extends CompactionMatrixSuite(Storage.Hdfs) {
  override protected def threads: Int = 6
}

class S3CompactionMatrixSuite extends CompactionMatrixSuite(Storage.S3) {
  override protected def threads: Int = 3
}
