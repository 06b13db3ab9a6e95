// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.log.LogIdentity
import stoplog.rolling.OnCheckpointRollingPolicy

class LogIdentitySuite extends AnyFunSuite {
  import Samples.{mine, other}

  private def identities(world: DriverWorld): Vector[Option[String]] =
    world.log.all().map(record => LogIdentity.of(record.state)).distinct

  test("each record of a log has the identity of the first record, also of later runs and tools") {
    val world = new DriverWorld(OnCheckpointRollingPolicy())
    val first = world.driver(mine)
    world.epoch(first, 0, "a")
    first.end(Finish.KeepOpen)
    val second = world.driver(other, settings = Samples.settings.noting(Map("more" -> "x")))
    world.epoch(second, 1, "b")
    second.end(Finish.PublishOpen)
    assert(world.log.all().map(_.run).distinct === Vector(mine, other))
    assert(identities(world) === Vector(Some(mine.value)))
  }

  test("a log that is deleted and written again has another identity") {
    val world = new DriverWorld(OnCheckpointRollingPolicy())
    world.epoch(world.driver(mine), 0, "a")
    world.records.delete(world.records.list())
    world.epoch(world.driver(other), 0, "a")
    assert(identities(world) === Vector(Some(other.value)))
  }
}
