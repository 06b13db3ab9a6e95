// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.nio.file.{Files, Paths}

import org.apache.logging.log4j.Level
import org.apache.logging.log4j.core.config.Configurator
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import scala.jdk.CollectionConverters._

import stoplog.LongRun

/** Small worlds, walked to the end: every schedule within bounds, none left out.
  *
  * The ordinary run tries each single deviation in a sample of them, the long run each pair, and `make simulate-all` all
  * schedules of all of them with two pre-emptions and one crash.
  */
class SmallWorldsSuite extends AnyFunSuite with BeforeAndAfterAll {
  import SmallWorldsSuite._

  private val (worlds, bounds) =
    if (isWhole) (SmallWorld.all, Bounds(preemptions = 2, crashes = 1, deviations = 3))
    else if (LongRun.isOn) (SmallWorld.sample, Bounds(preemptions = 2, crashes = 1, deviations = 2))
    else (SmallWorld.small, Bounds(preemptions = 1, crashes = 1, deviations = 1))

  worlds.foreach(walked(_, bounds))
  if (!isWhole) {
    walked(SmallCompactions(StoreKind.Replacing), Bounds(preemptions = 2, crashes = 0, deviations = 2))
    // a job hides a file late, for a record that another job has called off, and dies
    walked(WalkSuite.refused, Bounds(preemptions = 1, crashes = 1, deviations = 2))
  }

  // what merges say when they fail would be written some million times
  override protected def beforeAll(): Unit = Configurator.setLevel("stoplog", Level.OFF)
  override protected def afterAll(): Unit  = Configurator.setLevel("stoplog", Level.WARN)

  private def walked(world: SmallWorld, bounds: Bounds): Unit = test(s"$world, $bounds") {
    val started = System.nanoTime()
    val walked  = new Walk(world.run(_, _), bounds).toTheEnd()
    val line    =
      s"$world: ${walked.schedules} schedules, ${walked.known} of them to a known state, ${walked.skipped} more were skipped, ${walked.states} states, of $bounds"
    info(s"$line in ${(System.nanoTime() - started) / 1000000} ms")
    val (known, news) = walked.failures.partition(failure => world.holes.exists(isOf(_, failure)))
    known.foreach(failure =>
      info(s"known, and open: ${failure.count} of them: ${failure.problem}, by ${failure.deviations}")
    )
    news
      .drop(1)
      .foreach(failure =>
        info(s"new: ${failure.count} of them: ${failure.problem}, by ${failure.deviations}")
      )
    news.headOption.foreach(failure => fail(explained(world, failure)))
    if (isWhole) world.holes.filterNot(hole => known.exists(isOf(hole, _))).foreach { hole =>
      info(s"hole ${hole.number} (${hole.says}) is not found here")
    }
  }

  private def isOf(hole: Hole, failure: Failure): Boolean = failure.problem.contains(hole.says)

  /** The whole account goes into a file. */
  private def explained(world: SmallWorld, failure: Failure): String = {
    val trace = world.run(new Lane, new WalkChooser(failure.deviations), Tracing.On) match {
      case Outcome.Failed(_, _, trace) => trace
      case Outcome.Passed(_, _, trace) => trace
    }
    val file = Files.createDirectories(Paths.get("target").toAbsolutePath).resolve("sim-small.txt")
    Files.write(file, trace.asJava)
    s"${failure.count} schedules: ${failure.problem}, by ${failure.deviations}; all steps are in $file; the last ones:\n" +
      trace.takeRight(60).mkString("\n")
  }
}

private object SmallWorldsSuite {
  def isWhole: Boolean = sys.env.get("STOPLOG_SIM_ALL").exists(_.nonEmpty)
}
