// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import org.scalatest.funsuite.AnyFunSuite

import stoplog.announce._

/** An empty place that receives announcements. */
trait ReceiverUnderTest extends AutoCloseable {

  /** Creates a target that delivers to this place, as another driver would. The laws close the target. */
  def target(): AnnouncementTarget

  /** Returns the delivered announcements in the order of their arrival, with repetitions, without the code of
    * the target. Each is the number in its bucket's name, `n=<number>`.
    */
  def received(): Seq[Int]

  /** Returns the path in the announcements. */
  def path: String = "/data/laws"

  override def close(): Unit = ()
}

/** The laws of every target of announcements.
  *
  * {{{
  * class MyTargetLaws extends AnnouncementTargetLaws {
  *   override protected def newReceiver() = new ReceiverUnderTest { … }
  * }
  * }}}
  */
abstract class AnnouncementTargetLaws extends AnyFunSuite {

  /** Creates a place without announcements. */
  protected def newReceiver(): ReceiverUnderTest

  law("announcements arrive in order") { receiver =>
    withTarget(receiver) { target =>
      deliver(target, added(receiver, 1 to 3))
      deliver(target, added(receiver, 4 to 5))
    }
    assert(receiver.received() === (1 to 5))
  }

  law("a check delivers nothing, and does not prevent deliveries") { receiver =>
    withTarget(receiver) { target =>
      target.check()
      assert(receiver.received() === Nil)
      deliver(target, added(receiver, 1 to 2))
    }
    assert(receiver.received() === (1 to 2))
  }

  law("a repeated delivery succeeds") { receiver =>
    withTarget(receiver) { target =>
      deliver(target, added(receiver, 1 to 3))
      deliver(target, added(receiver, 1 to 3))
      deliver(target, added(receiver, 2 to 4))
    }
    assert(receiver.received().distinct === (1 to 4))
  }

  law("another driver continues, and may repeat") { receiver =>
    withTarget(receiver)(deliver(_, added(receiver, 1 to 2)))
    withTarget(receiver)(deliver(_, added(receiver, 2 to 3)))
    assert(receiver.received().distinct === (1 to 3))
  }

  law("accepts each kind of change, and changes of the path itself") { receiver =>
    val file = AnnouncedFile("n=1/part", Some(1), 10, Some(TimeRange("2026-01-31", "2026-01-31")))
    val all  = Vector(
      Change.Snapshot("n=1", Vector(file.copy(rows = None, times = None))),
      Change.Added("n=1", Vector(file)),
      Change.Replaced("n=1", Vector(file), Vector("n=1/former")),
      Change.PartitionComplete("n=1", 1),
      Change.Removed("n=1", Vector("n=1/part")),
      Change.Added("", Vector(AnnouncedFile("part", Some(1), 10))),
      Change.Gap(3, 9)
    )
    withTarget(receiver)(deliver(_, all.zipWithIndex.map { case (change, i) => of(receiver, i, change) }))
  }

  protected final def law(name: String)(body: ReceiverUnderTest => Unit): Unit = test(name) {
    val receiver = newReceiver()
    try body(receiver)
    finally receiver.close()
  }

  protected final def withTarget[A](receiver: ReceiverUnderTest)(work: AnnouncementTarget => A): A = {
    val target = receiver.target()
    try work(target)
    finally target.close()
  }

  protected final def added(receiver: ReceiverUnderTest, numbers: Range): Vector[Announcement] =
    numbers.toVector.map(n => of(receiver, n, Change.Added(s"n=$n", Vector(file(n)))))

  /** Delivers like the announcer, which repeats a call until its outcome is known. */
  protected final def deliver(target: AnnouncementTarget, announcements: Vector[Announcement]): Unit = {
    def attempt(left: Vector[Announcement], attempts: Int): Unit =
      if (left.nonEmpty) target.deliver(left) match {
        case Delivery.Delivered          => ()
        case Delivery.Refused(reason, _) => fail(s"refused: $reason")
        case other if attempts == 0      => fail(s"still $other")
        case _: Delivery.Unknown         => attempt(pending(target, left), attempts - 1)
        case _: Delivery.Retry           => attempt(left, attempts - 1)
      }
    attempt(announcements, AnnouncementTargetLaws.MostAttempts)
  }

  private def pending(target: AnnouncementTarget, all: Vector[Announcement]): Vector[Announcement] =
    target match {
      case positioned: PositionedTarget =>
        val stored = positioned.position(all.head.path, all.head.id.log.name)
        all.filter(announcement => stored.forall(announcement.id.isAfter))
      case _ => all
    }

  private def of(receiver: ReceiverUnderTest, number: Int, change: Change): Announcement = Announcement(
    AnnouncementId(AnnouncementTargetLaws.log, number / 2L, number % 2),
    receiver.path,
    "main",
    change,
    1769853600000L + number,
    Some(number / 2L)
  )

  private def file(n: Int) = AnnouncedFile(s"n=$n/part-$n", Some(n.toLong), 10L * n)
}

private object AnnouncementTargetLaws {
  val log = LogId("main", "7d6f3c5e-1b2a-4c3d-8e9f-0a1b2c3d4e5f")

  // A driver that another driver has fenced needs a further attempt.
  val MostAttempts = 100
}
