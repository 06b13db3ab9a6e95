// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.announce.{Announcement, AnnouncementId, Delivery, LogId, PositionedRecordingTarget}
import stoplog.commit.TargetDelivery.Over
import stoplog.log.LogRules

/** The delivery to targets that store their position. */
class PositionedDeliverySuite extends AnyFunSuite {

  test("a target with a position receives nothing twice, also after an unknown outcome") {
    val world  = new AnnouncerWorld
    val target = new PositionedRecordingTarget
    val first  = new world.Run(to = target)
    target.answers = Vector(Delivery.Unknown("connection lost"))
    first.epoch("a", "b")
    first.deliver()
    assert(target.calls.size === 1)
    val second = next(world, target) // the cursor was not written
    second.epoch("c")
    second.deliver()
    assert(world.bucketsOf(target.accepted) === Vector("added a", "added b", "added c"))
    assert(target.calls.size === 2)
  }

  test("records without announcements after a stored position are not a gap, even if trimmed") {
    val world  = new AnnouncerWorld(LogRules.standard.copy(records = 5, batchSize = 2))
    val target = new PositionedRecordingTarget
    val first  = new world.Run(to = target)
    first.epoch("a")
    (1 to 20).foreach { _ => first.epoch(); first.deliver() }
    world.sink.clock.advance(10000)
    (1 to 20).foreach { _ => first.epoch(); first.deliver() }
    first.deliver(isEnding = true)
    assert(world.sink.records.list().head > 1L)
    val second = next(world, target)
    second.epoch("b")
    second.deliver()
    assert(world.bucketsOf(target.accepted) === Vector("added a", "added b"))
  }

  test("a target that has lost announcements receives the announcements again, or a gap") {
    val world  = new AnnouncerWorld
    val target = new PositionedRecordingTarget
    val first  = new world.Run(to = target)
    first.epoch("a")
    first.deliver()
    val backup = target.stored
    first.epoch("b")
    first.deliver(isEnding = true)
    target.stored = backup
    val second = next(world, target)
    second.deliver()
    assert(world.bucketsOf(target.accepted) === Vector("added a", "added b", "added b"))
  }

  test("a target that has lost its position stops by name, and receives nothing") {
    val world  = new AnnouncerWorld
    val target = new PositionedRecordingTarget
    val first  = new world.Run(to = target)
    first.epoch("a")
    first.deliver(isEnding = true)
    target.stored = Map.empty
    val second = next(world, target)
    second.epoch("b")
    assert(second.deliver() === Over)
    assert(second.delivery.figures.lastError.exists(_.contains("STOPLOG_ANNOUNCEMENT_POSITION_LOST")))
    assert(target.calls.size === 1)
  }

  test("a repeated call of a target with a position keeps all of its announcements") {
    val world  = new AnnouncerWorld
    val target = new PositionedRecordingTarget
    val run    = new world.Run(to = target)
    target.answers = Vector.fill(3)(Delivery.Retry("down"))
    run.epoch((1 to 40).map(n => s"b$n"): _*)
    run.deliverAll()
    assert(target.calls.map(_.size) === Vector.fill(4)(40))
  }

  test("a target without a position that has received nothing yet starts with its first announcement") {
    val world  = new AnnouncerWorld
    val target = new PositionedRecordingTarget
    val first  = new world.Run(to = target)
    first.epoch()
    first.deliver(isEnding = true)
    val second = next(world, target)
    second.epoch("a")
    second.deliver()
    assert(world.bucketsOf(target.accepted) === Vector("added a"))
  }

  test("announcements without an effect on a target without a position are not a lost position") {
    val world    = new AnnouncerWorld
    var hasTable = false
    val target   = new PositionedRecordingTarget {
      protected override def accept(announcements: Vector[Announcement]): Unit =
        if (hasTable) super.accept(announcements)
    }
    val first = new world.Run(to = target)
    first.epoch("a")
    first.deliver(isEnding = true)
    hasTable = true
    val second = next(world, target)
    second.epoch("b")
    second.deliver(isEnding = true)
    assert(world.bucketsOf(target.accepted) === Vector("added b"))
    target.stored = Map.empty
    assert(isLost(next(world, target)))
  }

  test("a position that is known by an unknown outcome can be lost") {
    val world  = new AnnouncerWorld
    val target = new PositionedRecordingTarget
    val first  = new world.Run(to = target)
    target.answers = Vector(Delivery.Unknown("connection lost"))
    first.epoch("a")
    first.deliver(isEnding = true)
    target.stored = Map.empty
    assert(isLost(next(world, target)))
  }

  test("a target with a new name, or with a lost cursor, continues at its position") {
    val world  = new AnnouncerWorld
    val target = new PositionedRecordingTarget
    val first  = new world.Run(to = target)
    first.epoch("a")
    first.deliver(isEnding = true)
    target.answers = Vector(Delivery.Retry("down"))
    first.epoch("b")
    first.deliver()
    world.forgetCursor()
    val second = next(world, target)
    second.epoch("c")
    second.deliver()
    assert(world.bucketsOf(target.accepted) === Vector("added a", "added b", "added c"))
  }

  test("records without announcements before a start at the position are not a gap later") {
    val world  = new AnnouncerWorld(LogRules.standard.copy(records = 5, batchSize = 2))
    val target = new PositionedRecordingTarget
    val first  = new world.Run(to = target)
    first.epoch("a")
    first.deliver()
    world.forgetCursor()
    val second = next(world, target)
    (1 to 20).foreach { _ => second.epoch(); second.deliver() }
    second.deliver(isEnding = true)
    (1 to 20).foreach(_ => second.epoch())
    assert(world.sink.records.list().head > 1L)
    val third = next(world, target)
    third.epoch("b")
    third.deliver()
    assert(world.bucketsOf(target.accepted) === Vector("added a", "added b"))
  }

  test("a position of another log stops the target by name, and nothing is delivered") {
    val world  = new AnnouncerWorld
    val target = new PositionedRecordingTarget
    target.stored = Map("main" -> AnnouncementId(LogId("main", "of-another"), 3, 0))
    val run = new world.Run(to = target)
    run.epoch("a")
    assert(run.deliver() === Over)
    assert(run.delivery.figures.lastError.exists(_.contains("STOPLOG_ANNOUNCEMENT_POSITION")))
    assert(target.calls.isEmpty)
  }

  test("records without announcements are not a gap, however old") {
    val world  = new AnnouncerWorld
    val target = new PositionedRecordingTarget
    val first  = new world.Run(to = target)
    first.epoch("a")
    first.deliver()
    (1 to 3).foreach(_ => first.epoch()) // the process dies before the cursor is written
    world.sink.clock.advance(1000001)
    val second = next(world, target)
    second.deliver()
    second.epoch("b")
    second.deliver()
    assert(world.bucketsOf(target.accepted) === Vector("added a", "added b"))
  }

  test("a position after the newest record stops the target by name: the log has lost records") {
    val world  = new AnnouncerWorld
    val target = new PositionedRecordingTarget
    val first  = new world.Run(to = target)
    first.epoch("a")
    first.deliver()
    target.stored = target.stored.view.mapValues(_.copy(sequence = 300)).toMap
    val second = next(world, target)
    assert(second.deliver() === Over)
    val error = second.delivery.figures.lastError.get
    assert(error.contains("STOPLOG_ANNOUNCEMENT_POSITION"))
    assert(error.contains("newest record of the log was 1"), error)
  }

  for (lost <- Seq(1, 3))
    test(s"a position $lost after the newest record stops the target, also if this run has written further") {
      val world  = new AnnouncerWorld
      val target = new PositionedRecordingTarget
      val first  = new world.Run(to = target)
      first.epoch("a")
      first.deliver()
      target.stored = target.stored.view.mapValues(id => id.copy(sequence = id.sequence + lost)).toMap
      val second = new world.Run(to = target)
      (1 to 5).foreach(n => second.epoch(s"b$n"))
      assert(second.deliver() === Over)
      val error = second.delivery.figures.lastError.get
      assert(error.contains("STOPLOG_ANNOUNCEMENT_POSITION"))
      assert(error.contains("newest record of the log was 1"), error)
      assert(world.bucketsOf(target.accepted) === Vector("added a"))
      for (_ <- 1 to 2) {
        val later = next(world, target)
        later.epoch("c")
        assert(later.deliver() === Over)
        val again = later.delivery.figures.lastError.get
        assert(again.contains("newest record of the log was 1"), again)
      }
      assert(world.bucketsOf(target.accepted) === Vector("added a"))
    }

  for ((kind, isKept) <- Seq("with a cursor" -> true, "without a cursor" -> false))
    test(s"a target $kind, whose position of lost records was removed, starts again") {
      val world  = new AnnouncerWorld
      val target = new PositionedRecordingTarget
      val first  = new world.Run(to = target)
      first.epoch("a")
      first.deliver()
      if (isKept) first.delivery.close()
      val lost = target.stored.view.mapValues(id => id.copy(sequence = id.sequence + 2)).toMap
      target.stored = lost
      val second = next(world, target)
      (1 to 5).foreach(n => second.epoch(s"b$n"))
      assert(second.deliver() === Over)
      target.stored = Map.empty
      target.answers = Vector(Delivery.Retry("down"))
      val failed = next(world, target)
      failed.deliver()
      assert(failed.delivery.figures.lastError.exists(_.contains("down")))
      val third = next(world, target)
      third.deliver()
      val repeated = if (isKept) Vector.empty else Vector("added a")
      assert(
        world.bucketsOf(target.accepted) === ("added a" +: repeated) ++ (1 to 5).map(n => s"added b$n"),
        third.delivery.figures.lastError
      )
      target.stored = lost
      val fourth = next(world, target)
      fourth.epoch("c")
      fourth.deliver()
      assert(fourth.delivery.figures.lastError === None)
      assert(world.bucketsOf(target.accepted).last === "added c")
    }

  test("a run whose log a newer run has continued notes no lost records") {
    val world  = new AnnouncerWorld
    val target = new PositionedRecordingTarget
    val late   = new world.Run(to = target)
    late.epoch("a")
    val newer = next(world, target)
    newer.epoch("b")
    newer.deliver()
    assert(late.deliver() === Over)
    val third = next(world, target)
    third.epoch("c")
    third.deliver()
    assert(world.bucketsOf(target.accepted) === Vector("added a", "added b", "added c"))
  }

  test("a position that another run has written after the start of this run is no error") {
    val world  = new AnnouncerWorld
    val target = new PositionedRecordingTarget
    val late   = new world.Run(to = target)
    val first  = new world.Run(to = target)
    first.epoch("a")
    first.deliver()
    late.epoch("b")
    late.deliver()
    assert(world.bucketsOf(target.accepted) === Vector("added a", "added b"))
  }

  test("the age of the oldest waiting record grows while the position of a target cannot be read") {
    val world = new AnnouncerWorld
    world.limits = world.limits.copy(ageMillis = 1000, onBacklog = OnBacklog.Fail)
    val target = new PositionedRecordingTarget {
      override def position(path: String, logName: String): Option[AnnouncementId] =
        throw new IllegalStateException("down")
    }
    val run = new world.Run(to = target)
    run.epoch("a")
    world.sink.clock.advance(5000)
    run.deliver()
    assert(run.delivery.figures.lagMillis >= 5000)
    assert(run.delivery.exceedsLimits)
  }

  private def isLost(run: AnnouncerWorld#Run): Boolean = {
    run.epoch("lost")
    run.deliver() == Over &&
    run.delivery.figures.lastError.exists(_.contains("STOPLOG_ANNOUNCEMENT_POSITION_LOST"))
  }

  /** Returns the next run over the same log, which has carried out the records of the run before. */
  private def next(world: AnnouncerWorld, target: PositionedRecordingTarget): world.Run = {
    val run = new world.Run(to = target)
    run.resumed()
    run
  }
}
