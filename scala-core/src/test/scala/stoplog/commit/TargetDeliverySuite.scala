// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.announce.{Announcement, Change, Delivery, RecordingTarget}
import stoplog.commit.TargetDelivery.{Over, Pause, Wait}
import stoplog.log.LogRules
import stoplog.storage.VisibleFile

class TargetDeliverySuite extends AnyFunSuite {

  test("a target receives each bucket of each epoch, in order") {
    val world = new AnnouncerWorld
    val run   = new world.Run
    run.epoch("a", "b")
    run.deliver()
    run.epoch("c")
    run.deliver()
    assert(world.buckets === Vector("added a", "added b", "added c"))
    assert(world.target.accepted.map(_.id.sequence) === Vector(1L, 1L, 2L))
    assert(world.target.accepted.map(_.epoch) === Vector(Some(0L), Some(0L), Some(1L)))
    assert(run.delivery.figures.lagRecords === 0)
  }

  test("a target that keeps up needs no request to the storage") {
    val world = new AnnouncerWorld
    val run   = new world.Run
    run.epoch("a")
    run.deliver()
    val (listings, texts) = (world.sink.records.listings, world.files.texts)
    (1 to 50).foreach { n => run.epoch(s"b$n"); run.deliver() }
    assert(world.sink.records.listings - listings === 50) // the listings of the appends alone
    assert(world.files.texts === texts)
    assert(world.target.accepted.size === 51)
  }

  test("a target that requests no wait again and again is called with increasing waits") {
    val world = new AnnouncerWorld
    val run   = new world.Run
    world.target.answers = Vector.tabulate(20)(n => Delivery.Retry("busy", Some(-n.toLong)))
    run.epoch("a")
    val waits = Vector.fill(20)(run.deliver()).collect { case Pause(millis) => millis }
    assert(waits.size === 20 && waits.forall(_ > 0) && waits.sum > 1000, waits)
  }

  for (
    (what, error) <- Seq[(String, Error)](
      "missing class"     -> new NoClassDefFoundError("org/example/Client"),
      "stack without end" -> new StackOverflowError("org/example/Client")
    )
  )
    test(s"a $what of a target is a failure, and the delivery is repeated") {
      val world  = new AnnouncerWorld
      var fails  = true
      val target = new RecordingTarget {
        override def deliver(announcements: Vector[Announcement]): Delivery =
          if (fails) throw error else super.deliver(announcements)
      }
      val run = new world.Run(to = target)
      run.epoch("a")
      assert(run.deliver().isInstanceOf[Pause])
      assert(run.delivery.figures.lastError.exists(_.contains("org/example/Client")))
      fails = false
      run.deliver()
      assert(target.accepted.size === 1)
    }

  test("the cursor is written after 100 records or 10 seconds, and at the end") {
    val world = new AnnouncerWorld
    val run   = new world.Run
    run.epoch("a")
    run.deliver()
    assert(world.cursor().read().map(_.next) === Some(0L))
    assert(run.deliver() === Wait(10000))
    world.sink.clock.advance(10000)
    run.deliver()
    assert(world.cursor().read().map(_.next) === Some(2L))
    (1 to 99).foreach { n => run.epoch(s"b$n"); run.deliver() }
    assert(world.cursor().read().map(_.next) === Some(2L))
    run.epoch("c")
    run.deliver()
    assert(world.cursor().read().map(_.next) === Some(102L))
    run.epoch("d")
    assert(run.deliver(isEnding = true) === Over)
    assert(world.cursor().read().map(_.next) === Some(103L))
    assert(world.files.texts.size === 1)
  }

  test("the next run repeats announcements after the cursor, and omits none") {
    val world = new AnnouncerWorld
    val first = new world.Run
    first.epoch("a")
    first.epoch("b")
    first.deliver() // the process dies before the cursor is written
    val second = new world.Run
    second.resumed()
    second.deliver()
    assert(world.buckets === Vector("added a", "added b", "added a", "added b"))
    assert(world.target.received.size === 2)
  }

  test("a failed target is tried again after increasing waits, and other records wait in order") {
    val world = new AnnouncerWorld
    val run   = new world.Run
    world.target.answers =
      Vector(Delivery.Retry("down"), Delivery.Retry("busy", Some(7000)), Delivery.Unknown("lost"))
    run.epoch("a")
    assert(run.deliver().isInstanceOf[Pause])
    assert(run.delivery.figures.lastError === Some("down"))
    assert(world.cursor().failure(world.cursor().read()).map(_.reason) === Some("down"))
    run.epoch("b")
    assert(run.deliver() === Pause(7000))
    assert(run.delivery.figures.lagRecords === 3)
    run.deliverAll()
    assert(world.buckets === Vector("added a", "added a", "added b"))
    assert(run.delivery.figures.lastError === None)
    world.sink.clock.advance(10000)
    run.deliver()
    assert(world.cursor().failure(world.cursor().read()) === None)
  }

  test("a target that fails now and then, and makes progress, is not left waiting") {
    val world = new AnnouncerWorld
    // Like a webhook: one request for each announcement, and each third request fails.
    val flaky = new RecordingTarget {
      private var requests = 0

      override def deliver(all: Vector[Announcement]): Delivery = {
        def fails(): Boolean = { requests += 1; requests % 3 == 0 }
        val has              = all.filterNot(accepted.contains).takeWhile { one =>
          val arrives = !fails()
          if (arrives) accept(Vector(one))
          arrives
        }
        calls :+= has
        if (all.forall(accepted.contains)) Delivery.Delivered else Delivery.Retry("busy")
      }
    }
    val run = new world.Run(to = flaky)
    run.epoch((1 to 60).map(n => f"b$n%02d"): _*)
    val begin         = world.sink.clock.millis()
    def waits(): Unit = run.deliver() match {
      case Pause(millis) => world.sink.clock.advance(millis); waits()
      case _             => ()
    }
    waits()
    assert(world.bucketsOf(flaky.accepted) === (1 to 60).map(n => f"added b$n%02d"))
    assert(world.sink.clock.millis() - begin < 60 * 1000)
  }

  test("after a failure calls grow again") {
    val world = new AnnouncerWorld
    val run   = new world.Run
    world.target.answers = Vector.fill(3)(Delivery.Retry("down"))
    run.epoch((1 to 40).map(n => s"b$n"): _*)
    run.deliverAll()
    assert(world.target.calls.map(_.size) === Vector(40, 20, 10, 5, 10, 20, 5))
    assert(world.target.accepted.size === 40)
  }

  test("an exception of the target counts as a failure") {
    val world = new AnnouncerWorld
    val bad   = new stoplog.announce.RecordingTarget {
      override def deliver(all: Vector[stoplog.announce.Announcement]): Delivery =
        if (calls.isEmpty) { calls :+= all; throw new IllegalStateException("token=hunter2 is gone") }
        else super.deliver(all)
    }
    val run = new world.Run(to = bad)
    run.epoch("a")
    assert(run.deliver().isInstanceOf[Pause])
    assert(!run.delivery.figures.lastError.get.contains("hunter2"))
    run.deliverAll()
    assert(world.bucketsOf(bad.accepted) === Vector("added a"))
  }

  test("a refusal stops the target, or omits the refused announcement only") {
    val world = new AnnouncerWorld
    val run   = new world.Run
    world.target.answers = Vector(Delivery.Refused("too large"))
    run.epoch("a", "b")
    assert(run.deliver() === Over)
    assert(run.delivery.figures.lastError.exists(_.contains("STOPLOG_ANNOUNCEMENT_REFUSED")))
    val again = new world.Run(onRefused = OnRefused.Skip)
    again.resumed()
    world.target.answers = Vector(Delivery.Refused("too large"), Delivery.Refused("too large"))
    again.deliver()
    assert(world.buckets === Vector("added b"))
    assert(again.delivery.figures.lagRecords === 0)
  }

  test("a refused file is omitted alone, also of a snapshot, and a replacement is omitted as a whole") {
    val world = new AnnouncerWorld
    val first = new world.Run
    first.epoch("a", "b")
    world.forgetCursor()
    world.visible = Vector("a/1", "a/2", "b/1").map(VisibleFile(_, 1, 1, None))
    val run = new world.Run(FirstAnnouncement.Snapshot, OnRefused.Skip)
    world.target.answers = Vector(Delivery.Refused("broken", Set("a/2")))
    run.resumed()
    run.deliver()
    assert(filesOf(world.target.accepted) === Vector(Vector("a/1"), Vector("b/1")))
    assert(run.delivery.figures.failures === 1)
    run.epoch("c")
    val added = world.place.log().newest().get.publish.map(_.finishedPath)
    world.target.answers = Vector(Delivery.Refused("broken", added.toSet))
    run.deliver()
    assert(filesOf(world.target.accepted).last === Vector.empty)
    world.target.answers = Vector(Delivery.Refused("broken", Set("unknown")))
    run.epoch("d")
    run.deliver()
    assert(world.target.accepted.size === 3)
    assert(run.delivery.figures.lagRecords === 0)
  }

  private def filesOf(announcements: Vector[Announcement]): Vector[Vector[String]] =
    announcements.map(_.change).collect {
      case Change.Added(_, files)    => files.map(_.path)
      case Change.Snapshot(_, files) => files.map(_.path)
    }

  test("records are kept for a target that is down, up to the limit") {
    val world = new AnnouncerWorld(LogRules.standard.copy(records = 5, batchSize = 2))
    world.limits = world.limits.copy(records = 20)
    val run = new world.Run
    world.target.answers = Vector.fill(100)(Delivery.Retry("down"))
    run.epoch("first")
    run.deliver()
    (1 to 15).foreach(n => run.epoch(s"b$n"))
    assert(world.sink.records.list().head === 0L)
    (16 to 60).foreach(n => run.epoch(s"b$n"))
    assert(world.sink.records.list().size <= 22)
    world.target.answers = Vector.empty
    run.deliverAll()
    val found = world.target.accepted.map(_.change)
    assert(found.head.bucket === Some("first")) // was in memory
    assert(found(1) === Change.Gap(2, 41))
    assert(found.drop(2).map(_.bucket) === (41 to 60).map(n => Some(s"b$n")))
    assert(run.delivery.figures.gaps === 1)
  }

  test("records that were trimmed are a gap for the next run") {
    val world = new AnnouncerWorld(LogRules.standard.copy(records = 5, batchSize = 2))
    world.limits = world.limits.copy(records = 5)
    val first = new world.Run
    world.target.answers = Vector.fill(100)(Delivery.Retry("down"))
    (1 to 30).foreach(n => first.epoch(s"b$n"))
    world.target.answers = Vector.empty
    world.limits = world.limits.copy(records = 1000)
    val second = new world.Run
    second.resumed()
    second.deliver()
    val gap = world.target.accepted.head.change.asInstanceOf[Change.Gap]
    assert(gap.first === 0)
    assert(gap.last + 1 === world.sink.records.list().head)
    assert(world.buckets.last === "added b30")
  }

  test("records that waited too long are a gap") {
    val world = new AnnouncerWorld
    val run   = new world.Run
    run.epoch("a")
    run.epoch("b")
    world.sink.clock.advance(1000001)
    run.epoch("c")
    run.deliver()
    assert(world.target.accepted.map(_.change.word) === Vector("gap", "added"))
    assert(world.target.accepted.head.change === Change.Gap(1, 2))
  }

  test("with announceOnBacklog=fail nothing is omitted, and the limits are reported") {
    val world = new AnnouncerWorld(LogRules.standard.copy(records = 5, batchSize = 2))
    world.limits = world.limits.copy(records = 10, onBacklog = OnBacklog.Fail)
    val run = new world.Run
    world.target.answers = Vector(Delivery.Retry("down"))
    (1 to 8).foreach(n => run.epoch(s"b$n"))
    run.deliver()
    assert(!run.delivery.exceedsLimits)
    (9 to 20).foreach(n => run.epoch(s"b$n"))
    assert(run.delivery.exceedsLimits)
    run.deliverAll()
    assert(world.target.accepted.size === 20)
    assert(!run.delivery.exceedsLimits)
  }

  test("a new target starts after the newest record, or with a snapshot in one call") {
    val world = new AnnouncerWorld
    val none  = new world.Run
    none.epoch("old")
    world.forgetCursor()
    val newest = new world.Run
    newest.resumed()
    newest.epoch("a")
    newest.deliver()
    assert(world.buckets === Vector("added a"))
    world.forgetCursor()
    world.visible = Vector(VisibleFile("a/p", 4, 4, None), VisibleFile("old/p", 4, 4, None))
    val snapshot = new world.Run(FirstAnnouncement.Snapshot)
    snapshot.resumed()
    snapshot.deliver()
    snapshot.epoch("b")
    snapshot.deliver()
    assert(world.buckets.drop(1) === Vector("snapshot a", "snapshot old", "added b"))
    assert(world.target.calls(1).size === 2)
  }

  test("a target starts with a snapshot after the newest record was carried out, and not before") {
    val world = new AnnouncerWorld(LogRules.standard.copy(records = 5, batchSize = 2))
    val none  = new world.Run
    (1 to 20).foreach { n => none.epoch(s"old$n"); none.deliver() }
    world.forgetCursor()
    world.visible = Vector(VisibleFile("old1/p", 4, 4, None))
    val known = world.target.accepted.size
    val run   = new world.Run(FirstAnnouncement.Snapshot)
    assert(run.deliver().isInstanceOf[Wait])
    assert(world.target.accepted.size === known)
    run.resumed()
    run.deliver()
    run.epoch("new")
    run.deliver()
    assert(world.buckets.drop(known) === Vector("snapshot old1", "added new"))
    assert(world.target.accepted(known).id.sequence === 20L)
  }

  test("records without announcements do not fill the backlog of a target that is down") {
    val world = new AnnouncerWorld(LogRules.standard.copy(records = 5, batchSize = 2))
    world.limits = world.limits.copy(records = 20)
    val run = new world.Run
    run.epoch("first")
    world.target.answers = Vector.fill(10)(Delivery.Retry("down"))
    (1 to 9).foreach { n =>
      assert(run.deliver().isInstanceOf[Pause])
      (1 to 10).foreach(_ => run.epoch())
      if (n == 5) run.epoch("second")
    }
    run.deliverAll()
    assert(world.buckets === Vector("added first", "added second"))
    assert(run.delivery.figures.gaps === 0)
    assert(run.delivery.figures.lagRecords === 0)
  }

  test("a cursor after the newest record announces from the next record: the log has lost records") {
    val world = new AnnouncerWorld
    val first = new world.Run
    first.epoch("a")
    first.deliver(isEnding = true)
    val identity = world.cursor().read().get.identity
    world.cursor().write(AnnouncementCursor.Position(300, identity))
    val second = new world.Run
    second.resumed()
    second.epoch("b")
    second.deliver(isEnding = true)
    assert(world.buckets === Vector("added a", "added b"))
    assert(world.cursor().read().map(_.next) === Some(4L))
  }

  test("a target may ask for a pause of an hour at most") {
    val world = new AnnouncerWorld
    val run   = new world.Run
    world.target.answers = Vector(Delivery.Retry("busy", Some(7200000)))
    run.epoch("a")
    assert(run.deliver() === Pause(3600000))
  }

  test("a cursor of a deleted log announces the new log from its first record") {
    val world = new AnnouncerWorld
    world.cursor().write(AnnouncementCursor.Position(500, "of-a-deleted-log"))
    val run = new world.Run
    run.epoch("a")
    run.deliver(isEnding = true)
    assert(world.buckets === Vector("added a"))
    assert(world.cursor().read().map(_.next) === Some(2L))
  }

  test("large records are delivered in several calls") {
    val world = new AnnouncerWorld
    val run   = new world.Run
    run.epoch((1 to 250).map(n => f"b$n%03d"): _*)
    run.deliver()
    assert(world.target.calls.map(_.size) === Vector(100, 100, 50))
    assert(world.target.accepted.map(_.id.number) === (0 until 250))
  }
}
