// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.IOException

import scala.util.{Failure, Success, Try}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.announce.Change
import stoplog.commit.JobsUnderTest._
import stoplog.commit.TargetDelivery.Pause
import stoplog.fault.{Faults, Step}
import stoplog.log.RecordKind
import stoplog.storage.{ReplacedFiles, VisibleFile}

/** The listing of a snapshot, next to jobs that replace files. */
class SettledListingSuite extends AnyFunSuite {
  import ReplacementsSuite._

  for (step <- ofOverwrites)
    test(s"a listing during an overwrite at ${step.name} has the files of one moment, or fails") {
      within { place =>
        place.plant("b/old.txt", "old")
        var listed = Option.empty[Try[Vector[String]]]
        place.overwrite("batch-1", once(step) { listed = Some(Try(settled(place)(place.rows))) }, "new")
        listed.get match {
          case Success(rows) => assert(rows === Vector("old") && beforeRecord(step) || rows === Vector("new"))
          case Failure(e)    => assert(e.isInstanceOf[IOException] && e.getMessage.contains("replace"))
        }
        assert(settled(place)(place.rows) === Vector("new"))
      }
    }

  test("a listing fails if an overwrite is decided meanwhile") {
    within { place =>
      place.plant("b/old.txt", "old")
      val failure = intercept[IOException](settled(place) {
        val before = place.rows
        place.overwrite("batch-1", Faults.none, "new")
        before ++ place.rows
      })
      assert(failure.getMessage.contains("Repeat the listing"))
    }
  }

  test("a listing waits until the files of a compaction that was called off are restored") {
    within { place =>
      Seq("1", "2").foreach(n => place.plant(s"b/$n.txt", n))
      var listed = Option.empty[Try[Vector[String]]]
      val faults = once(Step.ReplacementNoted) { listed = Some(Try(settled(place)(place.rows))) }
      assert(!new CompactionJobSuite.Compacting(place, "batch-1", faults, refusing("b/2.txt")).compact())
      assert(listed.get.failed.get.getMessage.contains("not carried out"))
      assert(settled(place)(place.rows) === Vector("1", "2"))
    }
  }

  test("a listing waits while a slow process has hidden a file of a replacement that was called off") {
    within { place =>
      Seq("1", "2").foreach(n => place.plant(s"b/$n.txt", n))
      assert(!new CompactionJobSuite.Compacting(place, "batch-1", hiding = refusing("b/2.txt")).compact())
      val finished = place.logs().replacing("batch-1", RecordKind.Compact).finished
      finished.hide(0, "b/1.txt")
      assert(intercept[IOException](settled(place)(place.rows)).getMessage.contains("visible again"))
      finished.restore(0, "b/1.txt")
      val failure = intercept[IOException](settled(place) {
        finished.hide(0, "b/1.txt")
        place.rows
      })
      assert(failure.getMessage.contains("visible again"))
      place.overwriteNothing()
      assert(settled(place)(place.rows) === Vector("1", "2"))
    }
  }

  test("a listing does not wait for a hidden file whose path another file has") {
    within { place =>
      place.plant("b/1.txt", "1")
      new ReplacedFiles(place.logs().files, "main").hide(5, "b/1.txt")
      place.plant("b/1.txt", "other")
      assert(settled(place)(place.rows) === Vector("other"))
    }
  }

  test("appends do not disturb a listing") {
    within { place =>
      place.append("batch-1", Faults.none, "b" -> "x")
      settled(place)(place.append("batch-2", Faults.none, "b" -> "y"))
      assert(settled(place)(place.rows) === Vector("x", "y"))
    }
  }

  test("a target waits for its snapshot until the listing is settled, and receives the next listing") {
    val world = new AnnouncerWorld
    val first = new world.Run
    first.epoch("a")
    world.forgetCursor()
    var tries = 0
    val run   = new world.Run(
      FirstAnnouncement.Snapshot,
      visible = Some { () =>
        tries += 1
        if (tries == 1) throw new IOException("a replacement is not carried out")
        Vector(VisibleFile("new/p", 4, 4, None))
      }
    )
    run.resumed()
    assert(run.deliver().isInstanceOf[Pause])
    run.deliverAll()
    assert(
      world.target.accepted.map(_.change).collect { case Change.Snapshot(bucket, _) => bucket } === Vector(
        "new"
      )
    )
    assert(run.delivery.figures.lastError === None)
  }

  private def settled[A](place: JobFixture)(list: => A): A = new SettledListing(place.logs()).of(list)
}
