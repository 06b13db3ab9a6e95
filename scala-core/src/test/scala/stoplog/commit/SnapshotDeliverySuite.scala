// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.announce.Delivery
import stoplog.storage.VisibleFile

/** The delivery to targets that start with a snapshot. */
class SnapshotDeliverySuite extends AnyFunSuite {

  test("records before a snapshot do not wait, and records after an undelivered snapshot do") {
    val world = new AnnouncerWorld
    world.limits = world.limits.copy(ageMillis = 4000, onBacklog = OnBacklog.Fail)
    new world.Run().epoch("a")
    world.forgetCursor()
    world.sink.clock.advance(5000)
    var isListed = false
    val run      = new world.Run(
      FirstAnnouncement.Snapshot,
      visible = Some { () =>
        if (!isListed) throw new IllegalStateException("the listing fails")
        Vector(VisibleFile("a/1", 1, 1, None))
      }
    )
    run.resumed()
    run.deliver()
    assert(!run.delivery.exceedsLimits)
    assert((run.delivery.figures.lagRecords, run.delivery.figures.lagMillis) === ((1L, 0L)))
    isListed = true
    world.target.answers = Vector.fill(2)(Delivery.Retry("down"))
    run.deliver()
    run.epoch("b")
    world.sink.clock.advance(5000)
    run.deliver()
    assert(run.delivery.exceedsLimits)
    assert((run.delivery.figures.lagRecords, run.delivery.figures.lagMillis) === ((3L, 5000L)))
  }
}
