// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.util.{Success, Try}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.JobsUnderTest._
import stoplog.fault.Faults

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

  /** The first record of a target of a job. */
  private def startOf(place: JobFixture, target: String): Option[Long] = {
    val log = place.logs().replacements
    Announcer
      .entered(
        cursor(place, Replacements.SinkId, target),
        log,
        log.newest(),
        FirstAnnouncement.Newest,
        Some(OtherTargets.next(place.logs().files, log))
      )
      .map(_.next)
  }

  private def waiting(place: JobFixture): Option[Long] = cursor(place, Replacements.SinkId).read().map(_.next)

  private def cursor(place: JobFixture, log: String, target: String = "table") =
    new AnnouncementCursor(place.logs().files, log, target)
}
