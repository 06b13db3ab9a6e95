// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.apache.spark.SparkThrowable
import org.scalatest.funsuite.AnyFunSuite

import stoplog.log.RecordKind

class RewindSuite extends AnyFunSuite {

  test("no compaction goes on while a sink is set back, until another run has claimed its log") {
    val world = new DriverWorld(Rolls.never)
    val sinks = Map("main" -> world.log)
    world.epoch(world.driver(), 0, "a")
    Rewind.refuseUnderWay("sink", sinks)
    world.log.append(
      world.newest.copy(
        seq = world.newest.seq + 1,
        kind = RecordKind.Claim,
        run = Samples.other,
        publish = Vector.empty,
        state = world.newest.state.copy(settings = world.newest.state.settings ++ Rewind.noted)
      )
    )
    val refused = intercept[SparkThrowable](Rewind.refuseUnderWay("sink", sinks))
    assert(refused.getCondition === "STOPLOG_PATH_NOT_WRITABLE")
    world.driver().begin(1, slots = 1)
    Rewind.refuseUnderWay("sink", sinks)
  }
}
