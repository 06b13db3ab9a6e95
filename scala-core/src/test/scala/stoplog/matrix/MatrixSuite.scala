// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import scala.collection.concurrent.TrieMap

import stoplog.fault.Step
import stoplog.thread.Parallel

/** Every step of the protocol, stopped: each row once, nothing else visible.
  *
  * With `STOPLOG_LONG` set in the environment as much as [[MatrixPage]] says, otherwise a sample.
  */
abstract class MatrixSuite(storage: Storage) extends ChapterWriter {

  private val found        = TrieMap.empty[Scenario, Map[Step, Int]]
  private val foundInBatch = TrieMap.empty[BatchMode, Map[Step, Int]]

  /** How often an undisturbed query passes each step. */
  protected final def occurrences(site: Scenario): Map[Step, Int] =
    found.getOrElseUpdate(site, Crash.occurrences(site))

  protected final val sites: Vector[Scenario] = Scenario.all(storage)

  /** Which of the occurrences 1 to `last` are tried in this run. */
  protected def tried(site: Scenario, fate: CrashMode, step: Step, last: Int): Seq[Int]

  override protected def threads: Int = 1

  protected final def testOccurrences(sites: Seq[Scenario]): Unit =
    test("an undisturbed query passes every step") {
      Parallel.bounded(threads).map(sites)(site => site -> occurrences(site)).foreach { case (site, found) =>
        assert(found.keySet === site.steps.toSet, site.name)
      }
    }

  protected final def testFates(sites: Seq[Scenario]): Unit = for {
    site <- sites
    fate <- storage.fates
  }
    if (site.steps.exists(tried(site, fate, _, last = 1).nonEmpty))
      test(s"a query recovers from a process ${fate.name} at each step: ${site.name}") {
        hold(for {
          step       <- site.steps
          occurrence <- tried(site, fate, step, occurrences(site)(step))
        } yield Crash(site, CrashPoint.At(step, occurrence), fate, again = None))
      }

  /** @param pairs the steps at which a process and then its successor is killed */
  protected final def testPairs(site: Scenario, pairs: Seq[(Step, Step)]): Unit =
    test(s"a query recovers from a kill at each step and another kill: ${site.name}") {
      hold(for ((step, next) <- pairs) yield {
        val middle = (occurrences(site)(step) + 1) / 2
        Crash(site, CrashPoint.At(step, middle), CrashMode.Killed, Some(CrashPoint.At(next, 1)))
      })
    }

  /** How often an undisturbed batch job passes each step. */
  protected final def batchOccurrences(mode: BatchMode): Map[Step, Int] =
    foundInBatch.getOrElseUpdate(mode, BatchCrash.occurrences(sites.head, mode))

  /** @param tried which of the occurrences 1 to `last` */
  protected final def testBatchJobs(sites: Seq[Scenario])(tried: (Step, Int) => Seq[Int]): Unit = for {
    site <- sites
    mode <- storage.batchModes if long || mode != BatchMode.Append
  }
    test(s"a batch job in mode ${mode.name} recovers from a kill at each step: ${site.content.name}") {
      assert(batchOccurrences(mode).keySet === storage.batchSteps(mode).toSet)
      val crashes = for {
        step       <- storage.batchSteps(mode)
        occurrence <- tried(step, batchOccurrences(mode)(step))
      } yield BatchCrash(site, mode, CrashPoint.At(step, occurrence))
      holdAll(crashes)(_.verdict())
    }

  protected final def testPage(): Unit = testPage(MatrixSection.Writing(storage))
}
