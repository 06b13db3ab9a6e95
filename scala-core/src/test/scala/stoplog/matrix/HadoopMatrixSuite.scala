// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.LongRun
import stoplog.fault.Step

/** On a file system of Hadoop's, where a cell may take seconds: a long run tries what [[HadoopSection]] says, the
  * ordinary one a kill of a query that writes rows, at the steps where that storage matters.
  */
abstract class HadoopMatrixSuite(storage: Storage) extends MatrixSuite(storage) {
  private val plan = new HadoopSection(storage)
  import plan.{blocks, main, other, pairs}

  private val all = if (long) main +: other +: blocks.toSeq else Seq(main)

  override protected def threads: Int = 6

  testOccurrences(all)

  testFates(all)

  if (long) for (site <- main +: blocks.toSeq) testPairs(site, pairs(site))

  testBatchJobs(Seq(main)) { (step, last) =>
    if (long) 1 to last else Seq(last).filter(_ => Steps.ofDecidedJobs(step))
  }

  // The run that writes a section proves it, and takes minutes: an ordinary one tries a sample.
  if (long) testPage()

  override protected def section: String = plan.render(occurrences(_), batchOccurrences(_))

  override protected def tried(site: Scenario, fate: CrashMode, step: Step, last: Int): Seq[Int] =
    if (long) plan.tried(site, fate, step, last)
    else
      Seq(if (storage.steps.indexOf(step) % 2 == 0) 1 else last)
        .filter(_ => site == main && fate == CrashMode.Killed && storage.sample.contains(step))
}

class HdfsCrashMatrixSuite extends HadoopMatrixSuite(Storage.Hdfs)

class UncutHdfsCrashMatrixSuite extends HadoopMatrixSuite(Storage.UncutHdfs) with LongRun

class S3CrashMatrixSuite extends HadoopMatrixSuite(Storage.S3) {
  override protected def threads: Int = 3 // each has some 100 MiB in its hands
}

class AppendOnlyCrashMatrixSuite extends HadoopMatrixSuite(Storage.AppendOnly)

class CreateOnlyCrashMatrixSuite extends HadoopMatrixSuite(Storage.CreateOnly)
