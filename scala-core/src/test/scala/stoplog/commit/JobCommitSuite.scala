// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.JobCommit.Replacing
import stoplog.error.{StoplogArgumentException, StoplogException}
import stoplog.fault.{Faults, Step}
import stoplog.storage.local.LocalUnderTest

/** Batch jobs on local disks, beside what others write under the same path. */
class JobCommitSuite extends AnyFunSuite {
  import JobsUnderTest._

  test("a later recovery completes a dead overwrite and keeps files added after the decision") {
    within { place =>
      place.plant("b/old.txt", "old")
      place.plant("c/old.txt", "old as well")
      intercept[Died](place.overwrite("batch-1", new FaultAtStep(Step.AfterRecord), "new"))
      place.plant("b/part-1.txt", "of a stream")
      place.plant("c/d/part-2.txt", "of another job")
      place.job("batch-1").rollForward()
      assert(place.rows === Vector("new", "of a stream", "of another job"))
      assert(!Files.exists(place.root.resolve("_stoplog/batch-1")))
    }
  }

  test("an overwrite whose directory was deleted by another job hides no files") {
    within { place =>
      place.plant("b/old.txt", "old")
      val job  = place.job("batch-1", clock = place.clock)
      val done = place.task("batch-1", job, "new")
      LocalUnderTest.remove(place.root.resolve("_stoplog"))
      place.clock.advance(25 * 60 * 60 * 1000L)
      assert(Samples.condition(job.commit(Seq(done), Replacing.Everything)) === "STOPLOG_PART_LOST")
      assert(place.rows === Vector("old"))
      val slow = place.job("batch-2", clock = place.clock)
      val made = place.task("batch-2", slow, "new")
      place.clock.advance(25 * 60 * 60 * 1000L)
      slow.commit(Seq(made), Replacing.Everything)
      assert(place.rows === Vector("new"))
    }
  }

  test("an overwrite is rejected next to a file whose name is too long to hide") {
    for ((name, isRefused) <- Seq("x" * 245 -> false, "x" * 246 -> true, "ä" * 123 -> true)) within { place =>
      place.plant("b/old.txt", "old")
      place.plant(s"b/$name.txt", "older")
      place.plant("_stoplog/batch-1/replaces", "batch-1")
      if (isRefused) {
        val refused = intercept[StoplogArgumentException](place.overwrite("batch-1", Faults.none, "new"))
        assert(refused.getCondition === "STOPLOG_PATH_NOT_WRITABLE")
        assert(refused.getMessage.contains(s"b/$name.txt"))
        assert(place.rows === Vector("old", "older"))
        assert(!place.filesOf("batch-1").contains("replaces"))
      } else {
        place.overwrite("batch-1", Faults.none, "new")
        assert(place.rows === Vector("new"))
      }
    }
  }

  test("an overwrite deletes emptied directories and keeps others") {
    within { place =>
      place.plant("x=1/y=1/old.txt", "old")
      place.plant("b/old.txt", "old")
      place.overwrite("batch-1", Faults.none, "new")
      assert(place.rows === Vector("new"))
      assert(!Files.exists(place.root.resolve("x=1")))
    }
  }

  test("other jobs complete a decided append, and delete its directory only after its end") {
    within { place =>
      val living = place.job("batch-1")
      living.begin(slots = 1)
      place.decide("batch-1")
      place.job("batch-1").rollForward()
      assert(place.hasLeft("batch-1"))
      living.abort()
      place.job("batch-1").rollForward()
      assert(!place.hasLeft("batch-1"))
    }
  }

  test("of two processes recovering a dead job, the second does not interfere with the first") {
    within { place =>
      intercept[Died](place.overwrite("batch-1", new FaultAtStep(Step.AfterRecord), "new"))
      var looked = false
      place
        .job(
          "batch-1",
          new When(
            Step.AfterPublish,
            () => {
              place.job("batch-1").rollForward()
              looked = place.hasLeft("batch-1")
            }
          )
        )
        .rollForward()
      assert(looked && !place.hasLeft("batch-1") && place.rows === Vector("new"))
    }
  }

  test("a failed recovery of a job does not prevent another process from recovering the job") {
    within { place =>
      place.plant("b/old.txt", "old")
      intercept[Died](place.overwrite("batch-1", new FaultAtStep(Step.AfterRecord), "new"))
      JobCommit.rollForward(Seq(place.job("batch-1", new At(Step.AfterPublish))))
      assert(place.hasLeft("batch-1"))
      place.job("batch-1").rollForward()
      assert(!place.hasLeft("batch-1") && place.rows === Vector("new"))
    }
  }

  test("an interrupted removal of a finished job resumes at any point") {
    val brokenOff = (1 to 8).count { after =>
      var isLeft = false
      within { place =>
        place.append("batch-1", new Nth(Step.MidRemove, after), "b" -> "new")
        isLeft = place.filesOf("batch-1/log").nonEmpty
        val other = place.job("batch-1") // so that no process can tell that the job's driver is gone
        other.begin(slots = 1)
        place.job("batch-1", clock = later(minutes = 25 * 60)).rollForward()
        if (isLeft) assert(place.filesOf("batch-1/log") === Vector.empty, s"after $after")
        assert(place.rows === Vector("new"))
        other.abort()
      }
      isLeft
    }
    assert(brokenOff >= 3, "before its record, its notes and its mark")
  }

  test("a job whose directory cannot be deleted succeeds, and the next job deletes the directory") {
    within { place =>
      place.append("batch-1", new At(Step.MidRemove), "b" -> "row")
      assert(place.rows === Vector("row") && place.hasLeft("batch-1"))
      place.job("batch-1").rollForward()
      assert(place.rows === Vector("row") && !place.hasLeft("batch-1"))
    }
  }

  test("recovery publishes a dead job's remaining rows although a reader took a part early") {
    within { place =>
      intercept[Died](
        place.append("batch-1", new FaultAtStep(Step.PartPublished), "b" -> "first", "c" -> "second")
      )
      assert(place.rows === Vector("first"))
      place.take("b")
      assert(Samples.condition(place.job("batch-1").rollForward()) === "STOPLOG_PART_LOST")
      assert(place.rows === Vector("second") && place.hasLeft("batch-1"))
      place.job("batch-1", onLost = LostPart.Skip).rollForward()
      assert(place.rows === Vector("second") && !place.hasLeft("batch-1"))
    }
  }

  test("a job that fails after its record warns against reruns, and the next job publishes") {
    for (step <- Seq(Step.AfterRecord, Step.PartPublished, Step.AfterPublish)) within { place =>
      val failed =
        intercept[StoplogException](place.append("batch-1", new At(step), "b" -> "first", "c" -> "second"))
      assert(failed.getCondition === "STOPLOG_BATCH_DECIDED")
      assert(
        Seq("batch-1", place.root.toString, s"injected at ${step.name}").forall(failed.getMessage.contains)
      )
      assert(!failed.getMessage.contains("checkpoint"))
      place.job("batch-1").rollForward()
      assert(place.rows === Vector("first", "second") && !place.hasLeft("batch-1"))
    }
  }

  test("a job with an unknown record outcome reports the unknown outcome, written or not") {
    for (written <- Seq(true, false)) within { place =>
      val job    = place.job("batch-1", log = Some(new Silent(written)))
      val done   = place.task("batch-1", job, "row")
      val failed = intercept[StoplogException](job.commit(Seq(done), Replacing.Nothing))
      assert(failed.getCondition === "STOPLOG_BATCH_UNKNOWN")
      assert(Seq("batch-1", place.root.toString, "no answer").forall(failed.getMessage.contains))
      assert(!failed.getMessage.contains("checkpoint"))
      assert(place.rows.isEmpty)
    }
  }

  test("a job without a decision is left untouched for a day") {
    within { place =>
      val living = place.job("batch-1")
      val done   = place.write("batch-1", living.begin(slots = 1), "row")
      place.job("batch-1", clock = later(minutes = 23 * 60)).rollForward()
      living.commit(Seq(done), Replacing.Nothing)
      assert(place.rows === Vector("row") && !place.hasLeft("batch-1"))
    }
  }

  test("a job without a decision is fenced after a day, even if still alive") {
    within { place =>
      val living = place.job("batch-1")
      val done   = place.write("batch-1", living.begin(slots = 1), "row")
      place.job("batch-1", clock = later(minutes = 24 * 60 + 1)).rollForward()
      assert(place.hasLeft("batch-1"))
      assert(Samples.condition(living.commit(Seq(done), Replacing.Nothing)) === "STOPLOG_FENCED")
      assert(place.rows.isEmpty)
    }
  }

  test("the directory of a dead undecided job is deleted after a day, not before") {
    within { place =>
      val dead = place.job("batch-1")
      place.write("batch-1", dead.begin(slots = 1), "row")
      dead.abort()
      place.job("batch-1", clock = later(minutes = 23 * 60)).rollForward()
      assert(place.hasLeft("batch-1"))
      place.job("batch-1", clock = later(minutes = 24 * 60 + 1)).rollForward()
      assert(!place.hasLeft("batch-1") && place.rows.isEmpty)
    }
  }

  test("a process that looks at a silent undecided job does not count as its writer") {
    for (isAnnounced <- Seq(false, true)) within { place =>
      val silent = place.job("batch-1")
      place.write("batch-1", silent.begin(slots = 1), "row")
      if (isAnnounced) place.announce("batch-1")
      place.age("batch-1", hours = 25)
      place.job("batch-1").rollForward()
      assert(place.log("batch-1").newest().isDefined, "the job can decide nothing any more")
      silent.abort()
    }
  }

  test("the name prefix of batch job logs never changes") {
    assert(JobCommit.Prefix === "batch-")
  }
}
