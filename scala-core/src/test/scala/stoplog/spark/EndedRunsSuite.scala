// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{Map => JMap}

import org.scalatest.funsuite.AnyFunSuite

class EndedRunsSuite extends AnyFunSuite {
  import EndedRuns.Ended

  private val metrics = JMap.of("openParts", "0")

  test("an end reports completion and metrics, and waiting for a missing end times out") {
    val ends = new EndedRuns(mostRuns = 10)
    assert(ends.await("a", timeoutMillis = 0).isEmpty && ends.metrics("a").isEmpty)
    ends.add("a", Ended(isDone = true, isWhole = true, metrics))
    ends.add("b", Ended(isDone = false, isWhole = true, metrics))
    assert(ends.await("a", timeoutMillis = 0).exists(_.isDone) && ends.metrics("a") === metrics)
    assert(ends.await("b", timeoutMillis = 300000).exists(!_.isDone) && ends.metrics("b") === metrics)
  }

  test("the oldest runs are forgotten, including runs that were only queried") {
    val ends = new EndedRuns(mostRuns = 3)
    assert(ends.await("unknown", timeoutMillis = 0).isEmpty)
    for (n <- 1 to 4) ends.add(s"run $n", Ended(isDone = true, isWhole = true, metrics))
    assert((1 to 4).filter(n => ends.metrics(s"run $n") === metrics) === Seq(2, 3, 4))
  }
}
