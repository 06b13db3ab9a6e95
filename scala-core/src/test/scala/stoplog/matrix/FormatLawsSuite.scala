// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import org.scalatest.funsuite.AnyFunSuite

import stoplog.fault.Step
import stoplog.format.SparkSessionForTests

/** Every format on every storage: after a crash at any step, Spark reads back the rows of all types that were written.
  *
  * The other readers see the same files in `tests/e2e/test_bulk.py` and `tests/e2e/test_crashes.py`. A long run tries every
  * step everywhere, on variants of a storage for Parquet alone; the ordinary one two of them on local disks, for Parquet.
  */
class FormatLawsSuite extends AnyFunSuite with SparkSessionForTests with Cells {
  override protected def threads: Int = 2

  for {
    storage <- if (long) Storage.all else Vector(Storage.Local)
    format  <- TypedFormat.all
    if format.name == "parquet" || long && FormatLawsSuite.OfEachKind.contains(storage)
    site = Scenario(storage, Layout.Staging, TypedContent(format))
    if !(storage == Storage.CreateOnly && format.without.isEmpty)
  }
    test(s"${format.name} on ${storage.name}: all rows survive a kill at each step") {
      spark // the reader's
      hold(steps(site).map(step => Crash(site, CrashPoint.At(step, 1), CrashMode.Killed, again = None)))
    }

  private def steps(site: Scenario): Seq[Step] = if (long) site.steps else Seq(Step.AfterSync, Step.PartEnded)
}

private object FormatLawsSuite {
  private val OfEachKind = Seq(Storage.Local, Storage.Hdfs, Storage.S3)
}
