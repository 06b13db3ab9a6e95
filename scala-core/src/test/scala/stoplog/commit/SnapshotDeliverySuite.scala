// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.announce.{Change, Delivery}
import stoplog.storage.VisibleFile

/** The delivery to targets that start with a snapshot. */
class SnapshotDeliverySuite extends AnyFunSuite {

  test("a file that is published during the listing is announced once") {
    val world = new AnnouncerWorld
    new world.Run().epoch("old")
    world.forgetCursor()
    def published           = world.place.log().all().flatMap(_.publish).map(_.finishedPath)
    var publish: () => Unit = () => ()
    val run                 = new world.Run(
      FirstAnnouncement.Snapshot,
      visible = Some { () =>
        publish()
        published.map(VisibleFile(_, 1, 1, None))
      }
    )
    run.resumed()
    publish = () => run.epoch("new")
    run.deliver()
    val announced = world.target.accepted.map(_.change).flatMap {
      case Change.Added(_, files)    => files.map(_.path)
      case Change.Snapshot(_, files) => files.map(_.path)
      case other                     => fail(other.toString)
    }
    assert(world.buckets === Vector("snapshot old", "added new"))
    assert(announced === published)
  }

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
