// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

/** Open parts with rows beside them, as the driver treats them. */
class SpooledRowsSuite extends AnyFunSuite {

  private def open(world: DriverWorld): Seq[(String, Long)] =
    world.newest.state.open.map(part => part.bucket -> part.records)

  test("deletes spooled files that the newest record no longer names, and keeps the others") {
    val world  = new DriverWorld(Rolls.never, BesideLines)
    val driver = world.driver()
    for (epoch <- 0 to 40) {
      world.epoch(driver, epoch.toLong, "a", "b")
      assert(world.spoolFiles.staged().map(_.token).toSet === world.newest.state.spoolFiles)
    }
  }

  test("treats a part with a lost spool file as lost, if lost parts are skipped") {
    val world = new DriverWorld(Rolls.never, BesideLines)
    world.epoch(world.driver(), 0, "a", "b")
    val lost = world.newest.state.open.find(_.bucket == "a").get
    world.spoolFiles.discard(lost.spooled.files.map(_.token))
    world.driver(Samples.other, onLost = LostPart.Skip).begin(1, slots = 1)
    world.epoch(world.driver(onLost = LostPart.Skip), 1, "b")
    assert(open(world) === Seq("b" -> 2))
  }
}
