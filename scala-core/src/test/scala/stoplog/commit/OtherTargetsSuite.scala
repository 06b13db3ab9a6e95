// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.util.{Success, Try}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.JobsUnderTest._
import stoplog.fault.Faults
import stoplog.storage.local.LocalUnderTest
import stoplog.thread.Clock

/** A target of another writer receives each replacement of the files that it has (P-139). */
class OtherTargetsSuite extends AnyFunSuite {
  import ReplacementsSuite._

  for (step <- ofOverwrites)
    test(
      s"a target that starts during an overwrite at ${step.name} has the new files, or receives them later"
    ) {
      within { place =>
        place.plant("b/old.txt", "old")
        var listed = Option.empty[Try[Vector[String]]]
        place.overwrite(
          "batch-1",
          once(step) {
            cursor(place, "main").announceSnapshot()
            listed = Some(Try(new SettledListing(place.logs()).of(place.rows)))
          },
          "new"
        )
        listed.get match {
          case Success(Vector("old")) => assert(waiting(place) === Some(0L))
          case Success(rows)          => assert(rows === Vector("new"))
          case _                      => () // the target lists again
        }
      }
    }

  for (step <- ofOverwrites if !beforeRecord(step))
    test(s"the job after one that died at ${step.name} keeps the replacement for a known target") {
      within { place =>
        place.plant("b/old.txt", "old")
        cursor(place, "main").announceSnapshot()
        try place.overwrite("batch-1", new FaultAtStep(step), "new")
        catch { case _: Died => () }
        next(place)
        assert(place.rows === Vector("new"))
        assert(waiting(place) === Some(0L))
      }
    }

  for (step <- ofOverwrites if !beforeRecord(step))
    test(s"a job with a known target, after a job that died at ${step.name}, starts at the replacement") {
      within { place =>
        place.plant("b/old.txt", "old")
        cursor(place, "main").announceSnapshot()
        try place.overwrite("batch-1", new FaultAtStep(step), "new")
        catch { case _: Died => () }
        assert(startOf(place, "table") === Some(0L))
        assert(startOf(place, "unknown") === Some(1L))
      }
    }

  test("a target of a job starts with a snapshot if no log of the path has a position of the target") {
    within { place =>
      assert(startOf(place, "table", "batch-1", FirstAnnouncement.Snapshot) === None)
      assert(startOf(place, "table", "batch-2", FirstAnnouncement.Snapshot) === None)
      cursor(place, "batch-1").write(AnnouncementCursor.Position(1, "identity"))
      assert(startOf(place, "table", "batch-3", FirstAnnouncement.Snapshot) === Some(0L))
      assert(startOf(place, "other", "batch-3", FirstAnnouncement.Snapshot) === None)
    }
  }

  test("a target with a position in the log of a job stays known after the log is deleted") {
    within { place =>
      place.plant("b/old.txt", "old")
      place.overwrite("batch-1", Faults.none, "new")
      cursor(place, "batch-2").announceSnapshot()
      remember(place, "batch-2")
      assert(waiting(place) === None)
      cursor(place, "batch-2").write(AnnouncementCursor.Position(1, "identity"))
      remember(place, "batch-2")
      assert(waiting(place) === Some(1L))
      LocalUnderTest.remove(place.root.resolve("_stoplog/batch-2"))
      assert(startOf(place, "table", "batch-3", FirstAnnouncement.Snapshot) === Some(0L))
      assert(startOf(place, "table") === Some(1L))
      place.overwrite("batch-4", Faults.none, "newer")
      remember(place, "batch-3")
      assert(waiting(place) === Some(1L))
    }
  }

  for (step <- ofOverwrites if !beforeRecord(step))
    test(s"a target that stays known after an overwrite that died at ${step.name} receives the replacement") {
      within { place =>
        place.plant("b/old.txt", "old")
        cursor(place, "batch-2").announceSnapshot()
        try place.overwrite("batch-1", new FaultAtStep(step), "new")
        catch { case _: Died => () }
        cursor(place, "batch-2").write(AnnouncementCursor.Position(1, "identity"))
        remember(place, "batch-2")
        assert(waiting(place) === Some(0L))
      }
    }

  test("a target of another log receives a replacement, also if its snapshot of the replacements waits") {
    within { place =>
      place.plant("b/old.txt", "old")
      Seq("main", Replacements.SinkId).foreach(cursor(place, _).announceSnapshot())
      place.overwrite("batch-1", Faults.none, "new")
      assert(waiting(place) === Some(0L))
    }
  }

  test("a job snapshot that waits is delivered, also after an overwrite without the target") {
    within { place =>
      place.plant("b/old.txt", "old")
      cursor(place, "batch-1").announceSnapshot()
      place.overwrite("batch-2", Faults.none, "new")
      assert(waiting(place) === Some(0L))
      assert(startOf(place, "table", "batch-1", FirstAnnouncement.Snapshot) === None)
      assert(cursor(place, "batch-1").awaitsSnapshot)
    }
  }

  test("a job that removes the log of a job that died keeps its targets known") {
    within { place =>
      place.plant("b/old.txt", "old")
      place.overwrite("batch-1", Faults.none, "new")
      val logs   = place.logs()
      val record = logs.replacements.newest().get
      val others = JobAnnouncements.without(logs.files, "batch-2", logs.replacements, Clock.system)
      cursor(place, "batch-2").announceSnapshot()
      assert(!others.rest(record))
      cursor(place, "batch-2").write(AnnouncementCursor.Position(record.seq + 1, "identity"))
      assert(others.rest(record))
      assert(waiting(place) === Some(record.seq + 1))
    }
  }

  test("a replacement moves no cursor") {
    within { place =>
      cursor(place, "main").announceSnapshot()
      (1 to 3).foreach(number => place.overwrite(s"batch-$number", Faults.none, s"$number"))
      assert(waiting(place) === Some(0L))
    }
  }

  test("a target with a position is known by its position alone") {
    within { place =>
      cursor(place, "main").announceSnapshot()
      cursor(place, "main").write(AnnouncementCursor.Position(4, "identity"))
      assert(place.filesOf("main/announced/table") === Vector(f"${4}%020d"))
    }
  }

  private def remember(place: JobFixture, job: String): Unit =
    assert(OtherTargets.remember(place.logs().files, place.logs().replacements, job, Seq("table")))

  /** The first record of a target of a job. */
  private def startOf(
      place: JobFixture,
      target: String,
      logName: String = Replacements.SinkId,
      first: FirstAnnouncement = FirstAnnouncement.Newest
  ): Option[Long] = {
    val replacements = place.logs().replacements
    val isOfJob      = logName != Replacements.SinkId
    val next         = if (isOfJob) 0L else OtherTargets.next(place.logs().files, replacements)
    val log          = if (isOfJob) place.log(logName) else replacements
    Announcer.entered(cursor(place, logName, target), log, log.newest(), first, Some(next)).map(_.next)
  }

  private def waiting(place: JobFixture): Option[Long] = cursor(place, Replacements.SinkId).read().map(_.next)

  private def cursor(place: JobFixture, log: String, target: String = "table") =
    new AnnouncementCursor(place.logs().files, log, target)
}
