// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.util.Random
import scala.util.control.NonFatal

import org.scalatest.funsuite.AnyFunSuite

import stoplog.announce._

/** Random schedules of drivers that die, drivers that outlive their successors, and a receiver that is down,
  * slow, forgetful, or responds late. Each schedule follows from its seed.
  */
class AnnouncementSchedulesSuite extends AnyFunSuite {
  import AnnouncementSchedulesSuite._

  test("a target receives all announcements at least once, in order, and none before its files are visible") {
    (1 to Schedules).foreach(new Schedule(_, new Unreliable).run())
  }

  test("a target with a position receives all announcements exactly once, also from two drivers") {
    (1 to Schedules).foreach { seed =>
      val target = new UnreliablePositioned
      new Schedule(seed, target).run()
      assert(target.accepted.map(_.id).distinct.size === target.accepted.size, s"seed $seed")
    }
  }
}

private object AnnouncementSchedulesSuite {
  private val Schedules = 300
  private val Steps     = 60

  /** What the receiver does with the next call. */
  trait Moods { this: RecordingTarget =>
    var dice: Random                 = new Random(0)
    var isCalm                       = false
    var looked: Announcement => Unit = _ => ()
    def keep(all: Vector[Announcement]): Unit

    protected def answer(all: Vector[Announcement]): Delivery = {
      all.foreach(looked)
      if (isCalm) { keep(all); Delivery.Delivered }
      else
        dice.nextInt(7) match {
          case 0 => Delivery.Retry("down")
          case 1 => Delivery.Retry("busy", Some(dice.nextInt(20000).toLong))
          case 2 => keep(all); Delivery.Unknown("the answer is lost")
          case 3 => Delivery.Unknown("the request is lost")
          case 4 => keep(all); throw new IllegalStateException("the connection broke after the request")
          case _ => keep(all); Delivery.Delivered
        }
    }
  }

  final class Unreliable extends RecordingTarget with Moods {
    override def keep(all: Vector[Announcement]): Unit        = accept(all)
    override def deliver(all: Vector[Announcement]): Delivery = answer(all)
  }

  final class UnreliablePositioned extends PositionedRecordingTarget with Moods {
    override def keep(all: Vector[Announcement]): Unit        = accept(all)
    override def deliver(all: Vector[Announcement]): Delivery = answer(all)

    override def position(path: String, logName: String): Option[AnnouncementId] =
      if (!isCalm && dice.nextInt(4) == 0) throw new IllegalStateException("down")
      else super.position(path, logName)
  }

  final class Schedule(seed: Int, target: RecordingTarget with Moods) {
    private val dice  = new Random(seed.toLong)
    private val world = new AnnouncerWorld
    private var batch = 0L

    target.dice = dice
    target.looked = announcement =>
      filesOf(announcement).foreach(file =>
        if (!world.sink.parts.finished.contains(file))
          throw new AssertionError(s"seed $seed: $file is not visible")
      )

    // The newest run, and the run before, whose thread may still be at work.
    private var runs = Vector(new world.Run(to = target))

    def run(): Unit = {
      (1 to Steps).foreach(_ => step())
      target.isCalm = true
      world.sink.parts.onPublish = _ => ()
      epoch()
      runs.reverse.foreach(_.deliverAll())
      val wanted = expected
      val found  = target.received.map(_.id)
      assert(found == wanted, s"seed $seed: received $found, not $wanted")
    }

    private def step(): Unit = dice.nextInt(10) match {
      case 0 | 1 | 2 => epoch()
      case 3         => world.sink.clock.advance(dice.nextInt(12000).toLong)
      case 4         =>
        val next = new world.Run(to = target)
        runs = runs.takeRight(1) :+ next
        epoch()
      case _ => runs(dice.nextInt(runs.size)).delivery.step(isEnding = dice.nextInt(8) == 0): Unit
    }

    /** One epoch of the newest run. It may fail before or after its parts are visible. */
    private def epoch(): Unit = {
      val fails = !target.isCalm && dice.nextInt(5) == 0
      world.sink.parts.onPublish = _ =>
        if (fails && dice.nextBoolean()) throw new IllegalStateException("full")
      try {
        world.sink.epoch(runs.last.driver, batch, (1 to dice.nextInt(3)).map(n => s"b$n"): _*)
        batch += 1
      } catch {
        case NonFatal(_) =>
          runs.last.driver.abort()
          if (runs.last.driver.isOver) runs = runs.takeRight(1) :+ new world.Run(to = target) // started again
      }
    }

    private def expected: Vector[AnnouncementId] = {
      val records = world.sink.log.all()
      val origin  = Announcements.Origin("/data/out", "main", target.received.head.id.log)
      records.flatMap { record =>
        Announcements
          .of(stoplog.log.Decision.of(record), world.sink.log.outcome(record.seq), origin)
          .map(_.id)
      }
    }

    private def filesOf(announcement: Announcement): Vector[String] = announcement.change match {
      case Change.Added(_, files) => files.map(_.path)
      case _                      => Vector.empty
    }
  }
}
