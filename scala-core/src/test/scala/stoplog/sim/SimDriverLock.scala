// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.commit.DriverLock

/** The turn of one driver, with a step wherever it is asked for. */
final class SimDriverLock(world: World) extends DriverLock {
  private var free = true

  override def acquire(): Unit = {
    world.pause("take the turn")
    world.scheduler.awaitUntil(() => free)
    free = false
  }

  override def tryAcquire(): Boolean = {
    world.pause("try to take the turn")
    val taken = world.saw(free)
    free = false
    taken
  }

  override def release(): Unit = {
    if (free) throw new Violation("the turn is given back twice")
    free = true
  }
}
