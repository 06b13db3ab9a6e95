// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import scala.collection.concurrent.TrieMap

import stoplog.LongRun
import stoplog.fault.Step

/** Every step of a query that merges its small parts, stopped: each row once, nothing else visible, before and after.
  *
  * With `STOPLOG_LONG` what [[CompactionSection]] says; otherwise, on local disks alone, the steps of compaction and those
  * around its records, and in one layout pairs of steps.
  */
abstract class CompactionMatrixSuite(storage: Storage) extends ChapterWriter {
  private val plan  = new CompactionSection(storage)
  private val found = TrieMap.empty[Scenario, Map[Step, Int]]

  for (site <- plan.sites) {
    test(s"an undisturbed query passes every step: ${site.name}") {
      assert(occurrences(site).keySet === site.steps.toSet)
    }

    for (fate <- storage.fates)
      test(s"a query recovers from a process ${fate.name} at each step: ${site.name}") {
        val crashes = for {
          step       <- site.steps if long || Steps.compacting(step) || plan.around(step)
          occurrence <- tried(fate, occurrences(site)(step))
        } yield Crash(site, CrashPoint.At(step, occurrence), fate, again = None)
        hold(crashes)
      }

    if (long || site == Scenario(Storage.Local, Layout.InBucket, Content.Compacted))
      test(s"a query recovers from kills at each step of compaction and in recovery: ${site.name}") {
        val pairs = plan.pairs(site).filter { case (_, next) => long || Steps.compacting(next) }
        hold(pairs.map { case (step, next) =>
          Crash(
            site,
            CrashPoint.At(step, (occurrences(site)(step) + 1) / 2),
            CrashMode.Killed,
            Some(CrashPoint.At(next, 1))
          )
        })
      }
  }

  if (long) testPage(MatrixSection.Compacting(storage))

  override protected def section: String = plan.render(occurrences)

  override protected def threads: Int = 2

  private def occurrences(site: Scenario): Map[Step, Int] =
    found.getOrElseUpdate(site, Crash.occurrences(site))

  private def tried(fate: CrashMode, last: Int): Seq[Int] =
    if (long) plan.tried(fate, last) else Seq((last + 1) / 2)
}

class LocalCompactionMatrixSuite extends CompactionMatrixSuite(Storage.Local)

class HdfsCompactionMatrixSuite extends CompactionMatrixSuite(Storage.Hdfs) with LongRun {
  override protected def threads: Int = 6
}

class S3CompactionMatrixSuite extends CompactionMatrixSuite(Storage.S3) with LongRun {
  override protected def threads: Int = 3
}
