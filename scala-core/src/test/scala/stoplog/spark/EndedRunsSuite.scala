// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{Map => JMap}

import org.scalatest.funsuite.AnyFunSuite

class EndedRunsSuite extends AnyFunSuite {
  private val metrics = JMap.of("openParts", "0")

  test("an end reports completion and metrics, and waiting for a missing end times out") {
    val ends = new EndedRuns(mostRuns = 10)
    assert(!ends.await("a", timeoutMillis = 0) && ends.metrics("a").isEmpty)
    ends.add("a", isDone = true, metrics)
    ends.add("b", isDone = false, metrics)
    assert(ends.await("a", timeoutMillis = 0) && ends.metrics("a") === metrics)
    assert(!ends.await("b", timeoutMillis = 300000) && ends.metrics("b") === metrics)
  }

  test("the oldest runs are forgotten, including runs that were only queried") {
    val ends = new EndedRuns(mostRuns = 3)
    assert(!ends.await("unknown", timeoutMillis = 0))
    for (n <- 1 to 4) ends.add(s"run $n", isDone = true, metrics)
    assert((1 to 4).filter(n => ends.metrics(s"run $n") === metrics) === Seq(2, 3, 4))
  }
}
