// SPDX-License-Identifier: Apache-2.0
package stoplog.announce

import scala.annotation.tailrec

import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.laws.{Elsewhere, ReceiverUnderTest}

/** Targets with a position whose drivers are killed in the middle of deliveries. */
abstract class KilledDriverLaws extends AnyFunSuite {

  /** Creates a place without announcements, and the target for other processes. */
  protected def newReceiver(): (ReceiverUnderTest, TargetElsewhere)

  test("each announcement takes effect once, in order, if drivers are killed") {
    val (receiver, elsewhere) = newReceiver()
    for (round <- 1 to (if (LongRun.isOn) 3 else 1)) {
      val driver = Elsewhere.start(Deliver(elsewhere, receiver.path, 1000))
      try {
        assert(driver.answer === "started")
        while (receiver.received().size < 10 * round) Thread.onSpinWait()
      } finally driver.kill()
    }
    val reached = receiver.received().size
    assert(reached < 1000)
    Deliver(elsewhere, receiver.path, reached + 10).afterwards()
    assert(receiver.received() === (1 to reached + 10))
  }
}

/** Creates a target in any process. */
trait TargetElsewhere extends Serializable {
  def target(): AnnouncementTarget
}

/** Delivers all announcements one by one, like a driver without a cursor. */
private final case class Deliver(to: TargetElsewhere, path: String, last: Int) extends Elsewhere.Task {
  override def run(): String = "started"

  override def afterwards(): Unit = {
    val target = to.target()
    (1 to last).foreach(n => deliver(target, announcement(n)))
    target.close()
  }

  @tailrec
  private def deliver(target: AnnouncementTarget, announcement: Announcement): Unit =
    target.deliver(Vector(announcement)) match {
      case Delivery.Delivered          => ()
      case Delivery.Refused(reason, _) => throw new AssertionError(reason)
      case _                           => deliver(target, announcement)
    }

  private def announcement(n: Int): Announcement = Announcement(
    AnnouncementId(LogId("main", "7d6f"), n.toLong, 0),
    path,
    "main",
    Change.Added(s"n=$n", Vector(AnnouncedFile(s"n=$n/part", Some(1), 10))),
    1769853600000L + n
  )
}
