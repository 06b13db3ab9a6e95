// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.announce.{Announcement, Delivery, RecordingTarget}
import stoplog.fault.Step
import stoplog.part.RunId
import stoplog.spark.LogCapture

/** The threads of targets. */
class AnnouncerSuite extends AnyFunSuite {
  import Samples.condition

  private final class Blocking extends RecordingTarget {
    val entered = new CountDownLatch(1)
    val free    = new CountDownLatch(1)

    override def deliver(announcements: Vector[Announcement]): Delivery = {
      entered.countDown()
      free.await()
      super.deliver(announcements)
    }
  }

  private def target(name: String, to: RecordingTarget): Announcer.Target =
    Announcer.Target(name, to, FirstAnnouncement.Newest, OnRefused.Stop)

  private final class Query(world: AnnouncerWorld, targets: Announcer.Target*) {
    private val limits =
      world.limits.copy(ageMillis = Long.MaxValue) // the records are as old as the test's clock

    val announcer = Announcer.start(world.place, targets.toVector, limits)
    val driver    = world.sink.driver(RunId.random(), announcing = announcer)
  }

  test("each target has a thread, and a blocked target delays no epoch and no other target") {
    val world         = new AnnouncerWorld
    val (good, stuck) = (new RecordingTarget, new Blocking)
    val query         = new Query(world, target("good", good), target("stuck", stuck))
    world.sink.epoch(query.driver, 0, "a")
    assert(stuck.entered.await(1, TimeUnit.MINUTES))
    (1 to 20).foreach(n => world.sink.epoch(query.driver, n.toLong, s"b$n"))
    assert(query.announcer.figures.toMap.apply("stuck").lagRecords > 0)
    val warnings = LogCapture.of(assert(!query.announcer.end())).filter(_.contains("records wait"))
    assert(warnings.map(_.takeWhile(_ != ' ')) === Seq("Target"))
    assert(warnings.head.startsWith("Target stuck of /data/out did not receive all announcements"))
    assert(good.received.size === 21)
    assert(stuck.received.isEmpty)
    assert((good.closed, stuck.closed) === ((1, 1)))
    assert(world.cursor("good").read().map(_.next) === Some(22L))
    assert(world.cursor("stuck").read().exists(_.next <= 1), "before the first epoch")
  }

  test("the end waits until each target has all announcements") {
    val world = new AnnouncerWorld
    val good  = new RecordingTarget
    val query = new Query(world, target("good", good))
    good.answers = Vector(Delivery.Retry("busy", Some(1)), Delivery.Retry("busy", Some(1)))
    (0 to 5).foreach(n => world.sink.epoch(query.driver, n.toLong, s"b$n"))
    query.driver.end(Finish.KeepOpen)
    assert(query.announcer.end())
    assert(good.received.size === 6)
    assert(query.announcer.end(), "a second call has no effect")
    assert(good.closed === 1)
  }

  test("at the end, a target in a long wait is called once more at once") {
    val world  = new AnnouncerWorld
    val called = new CountDownLatch(1)
    val target = new RecordingTarget {
      override def deliver(announcements: Vector[Announcement]): Delivery = {
        called.countDown()
        super.deliver(announcements)
      }
    }
    target.answers = Vector(Delivery.Retry("down", Some(3600000)))
    val query = new Query(world, this.target("out", target))
    world.sink.epoch(query.driver, 0, "a")
    assert(called.await(1, TimeUnit.MINUTES))
    assert(query.announcer.end())
    assert(target.received.size === 1)
  }

  for (
    (what, interrupt) <- Seq[(String, () => Nothing)](
      "throws an interruption"        -> (() => throw new InterruptedException),
      "leaves an interruption behind" -> { () =>
        Thread.currentThread.interrupt()
        throw new IllegalStateException("a client was interrupted")
      }
    )
  )
    test(s"a target that $what is called again") {
      val world  = new AnnouncerWorld
      val target = new RecordingTarget {
        override def deliver(announcements: Vector[Announcement]): Delivery =
          if (calls.isEmpty) {
            calls :+= announcements
            interrupt()
          } else super.deliver(announcements)
      }
      val query = new Query(world, this.target("out", target))
      world.sink.epoch(query.driver, 0, "a")
      assert(query.announcer.end())
      assert(target.received.size === 1)
    }

  test("a query without records ends at once") {
    val query = new Query(new AnnouncerWorld, target("out", new RecordingTarget))
    assert(query.announcer.end())
  }

  test("announcements of a batch job have the sink of the job, also if delivered for another sink") {
    JobsUnderTest.within { jobs =>
      val killed = new JobsUnderTest.FaultAtStep(Step.AfterTrim)
      intercept[JobsUnderTest.Died](jobs.append("batch-1", killed, "b" -> "row")) // for the sink main
      val log       = () => jobs.log("batch-1")
      val place     = new AnnouncerWorld().place.copy(sinkId = "other", logName = "batch-1", log = log)
      val to        = new RecordingTarget
      val limits    = AnnouncementLimits(1000, Long.MaxValue, OnBacklog.Gap, 60000)
      val announcer = Announcer.start(place, Vector(target("out", to)), limits, next = Some(0))
      announcer.recovered(0)
      assert(announcer.end())
      assert(to.received.map(one => (one.change.word, one.sinkId)) === Vector("added" -> "main"))
    }
  }

  test("with announceOnBacklog=fail the next epoch is rejected by name") {
    val world = new AnnouncerWorld
    world.limits = world.limits.copy(records = 3, onBacklog = OnBacklog.Fail, endMillis = 1)
    val stuck = new Blocking
    val query = new Query(world, target("stuck", stuck))
    (0 to 1).foreach(n => world.sink.epoch(query.driver, n.toLong, s"b$n"))
    query.announcer.refuseBacklog()
    (2 to 4).foreach(n => world.sink.epoch(query.driver, n.toLong, s"b$n"))
    assert(condition(query.announcer.refuseBacklog()) === "STOPLOG_ANNOUNCEMENT_BACKLOG")
    assert(!query.announcer.end())
  }

  test("metrics have the largest lag of all targets, and the lag of each target") {
    val figures = Seq(
      "a" -> TargetFigures(5, 1, 10, announced = 7, failures = 1, gaps = 0, None),
      "b" -> TargetFigures(3, 3, 30, announced = 2, failures = 2, gaps = 1, Some("down"))
    )
    val metrics = Announcer.metrics(figures).toMap
    assert(metrics("announcementLagRecords") === 3 && metrics("announcementLagMillis") === 30)
    assert(metrics("announced") === 9 && metrics("announcementFailures") === 3)
    assert(metrics("announce.a.lagRecords") === 1 && metrics("announce.b.next") === 3)
  }
}
