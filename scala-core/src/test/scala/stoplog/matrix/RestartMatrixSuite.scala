// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.fault.Step

/** A run that finishes what it finds open, stopped at each step: each row once, whoever finishes it in the end.
  *
  * A kill at each step, and a kill of the successor at each step of its start; in a long run all fates, layouts and
  * occurrences, and every moment of the first kill at which parts are open in another way.
  */
abstract class RestartMatrixSuite(storage: Storage) extends AnyFunSuite with Cells {
  override protected def threads: Int = 2

  /** What is different there are the lengths of files, which no fate and no layout changes. */
  private val isThorough = long && storage != Storage.UncutHdfs

  private val layouts = if (isThorough) storage.layouts else Seq(storage.layouts.last)

  for {
    layout  <- layouts
    content <- storage.contents.filterNot(_ == Content.Gzip)
    site = Scenario(storage, layout, Content.FinishedAtRestart(content))
  } {
    lazy val occurrences = Crash.occurrences(site)

    test(s"a query whose second run finishes the parts of the first passes every step: ${site.name}") {
      assert(occurrences.keySet === site.steps.toSet)
    }

    for (fate <- storage.fates if isThorough || fate == CrashMode.Killed && content == Content.Plain)
      test(s"a query recovers from a process ${fate.name} at each step: ${site.name}") {
        hold(for {
          step       <- site.steps
          occurrence <- tried(fate, occurrences(step))
        } yield Crash(site, CrashPoint.At(step, occurrence), fate, again = None))
      }

    test(s"a query recovers from kills with open parts and during the next start: ${site.name}") {
      hold(for {
        left <- if (isThorough) Seq(Step.MidWrite, Step.AfterSync, Step.AfterRecord) else Seq(Step.MidWrite)
        next <- site.steps.filter(RestartMatrixSuite.ofStarts)
      } yield {
        val middle = (occurrences(left) + 1) / 2
        Crash(site, CrashPoint.At(left, middle), CrashMode.Killed, Some(CrashPoint.At(next, 1)))
      })
    }
  }

  private def tried(fate: CrashMode, last: Int): Seq[Int] =
    if (!long) Seq((last + 1) / 2)
    else if (storage == Storage.Local) 1 to last
    else storage.occurrences(fate, last).distinct
}

class LocalRestartMatrixSuite extends RestartMatrixSuite(Storage.Local)

class AppendOnlyRestartMatrixSuite extends RestartMatrixSuite(Storage.AppendOnly) with LongRun

class CreateOnlyRestartMatrixSuite extends RestartMatrixSuite(Storage.CreateOnly) with LongRun

class HdfsRestartMatrixSuite extends RestartMatrixSuite(Storage.Hdfs) with LongRun {
  override protected def threads: Int = 6
}

class UncutHdfsRestartMatrixSuite extends RestartMatrixSuite(Storage.UncutHdfs) with LongRun {
  override protected def threads: Int = 6
}

class S3RestartMatrixSuite extends RestartMatrixSuite(Storage.S3) with LongRun {
  override protected def threads: Int = 3
}

private object RestartMatrixSuite {

  /** From the first look at the log until what was open is visible, and the record that says so is marked. */
  private val ofStarts: Set[Step] = Set(
    Step.BeforeRepublish,
    Step.BeforeClaim,
    Step.AfterClaim,
    Step.BeforeRoll,
    Step.PartEnded,
    Step.RecordWritten,
    Step.AfterRecord,
    Step.MidPublish,
    Step.PartPublished,
    Step.AfterPublish,
    Step.AfterMark,
    Step.AfterTrim,
    Step.AfterDrop
  )
}
