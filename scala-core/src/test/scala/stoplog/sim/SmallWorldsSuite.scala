// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import org.scalatest.funsuite.AnyFunSuite

/** Small worlds, walked to the end: every schedule within bounds, and how many there were. */
class SmallWorldsSuite extends AnyFunSuite {
  private val bounds = Bounds(
    sys.env.getOrElse("STOPLOG_SIM_PREEMPTIONS", "1").toInt,
    sys.env.getOrElse("STOPLOG_SIM_CRASHES", "0").toInt
  )

  SmallWorld.all.foreach { world =>
    test(s"$world") {
      val started = System.nanoTime()
      val walked  = new Walk(world.run(_, _), bounds).toTheEnd()
      info(s"${walked.schedules} schedules in ${(System.nanoTime() - started) / 1000000} ms")
      walked.failures.foreach(failure =>
        info(s"${failure.count} of them: ${failure.problem}, first ${failure.deviations}")
      )
    }
  }
}
