// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.log.RecordKind

class RewindSuite extends AnyFunSuite {

  test("no job replaces files during a rewind, until another run claims the log") {
    val world    = new DriverWorld(Rolls.never)
    def obstacle = Obstacle.rewinding(Cut(Map("main" -> world.newest), Map.empty))
    world.epoch(world.driver(), 0, "a")
    assert(obstacle.isEmpty)
    world.log.append(
      world.newest.copy(
        seq = world.newest.seq + 1,
        kind = RecordKind.Claim,
        run = Samples.other,
        publish = Vector.empty,
        state = world.newest.state.copy(settings = world.newest.state.settings ++ Rewind.noted)
      )
    )
    assert(
      obstacle.map(found => Samples.condition(throw found.refusal("sink"))) === Some(
        "STOPLOG_PATH_NOT_WRITABLE"
      )
    )
    world.driver().begin(1, slots = 1)
    assert(obstacle.isEmpty)
  }
}
