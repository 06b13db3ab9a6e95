// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import scala.collection.concurrent.TrieMap

import stoplog.LongRun
import stoplog.fault.Step

/** Every step of a file source's driver, stopped: each line once.
  *
  * With `STOPLOG_LONG` set as much as the page says, otherwise the middle occurrence of each step; on HDFS and S3 a kill
  * at some of them.
  */
abstract class SourceMatrixSuite(storage: SourceStorage) extends ChapterWriter {
  private val plan  = new SourceSection(storage)
  private val found = TrieMap.empty[SourceMode, Map[Step, Int]]
  private val full  = long || storage == SourceStorage.Local
  private val modes = if (full) SourceMode.all else Seq(SourceMode.Delete)
  private val fates = if (full) plan.fates else Seq(CrashMode.Killed)

  override protected def threads: Int = if (storage == SourceStorage.Local) 2 else 4

  test("an undisturbed query passes every step") {
    for (mode <- modes) assert(occurrences(mode).keySet === storage.steps(mode).toSet, mode.name)
  }

  for {
    mode <- modes
    fate <- fates
  }
    test(s"a query recovers from a process ${fate.name} at each step: ${mode.name}") {
      holdAll(for {
        step       <- storage.steps(mode) if long || storage.sample.contains(step)
        occurrence <- tried(mode, step)
      } yield SourceCrash(storage, mode, CrashPoint.At(step, occurrence), fate, again = None))(_.verdict())
    }

  if (long)
    for (mode <- modes) test(s"a query recovers from a kill at each step and another kill: ${mode.name}") {
      holdAll(for ((step, next) <- plan.pairs(mode)) yield {
        val middle = (occurrences(mode)(step) + 1) / 2
        SourceCrash(
          storage,
          mode,
          CrashPoint.At(step, middle),
          CrashMode.Killed,
          Some(CrashPoint.At(next, 1))
        )
      })(_.verdict())
    }

  // The run that writes a section proves it; an ordinary one tries a sample.
  if (long) testPage(MatrixSection.Reading(storage))

  override protected def section: String = plan.render(occurrences) + "\n"

  private def occurrences(mode: SourceMode): Map[Step, Int] =
    found.getOrElseUpdate(mode, SourceCrash.occurrences(storage, mode))

  private def tried(mode: SourceMode, step: Step): Seq[Int] = {
    val last = occurrences(mode)(step)
    if (long) storage.occurrences(last) else Seq((last + 1) / 2)
  }
}

class LocalSourceMatrixSuite extends SourceMatrixSuite(SourceStorage.Local)

class HdfsSourceMatrixSuite extends SourceMatrixSuite(SourceStorage.Hdfs)

class S3SourceMatrixSuite extends SourceMatrixSuite(SourceStorage.S3) with LongRun
