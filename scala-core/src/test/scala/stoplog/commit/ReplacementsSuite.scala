// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.IOException
import java.nio.file.Files
import java.util.concurrent.{CompletableFuture, CountDownLatch, Executors, TimeUnit}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.JobsUnderTest._
import stoplog.error.{Errors, StoplogArgumentException, StoplogException}
import stoplog.fault.{Faults, Step}
import stoplog.storage.{DelegatingFileStore, FileCapabilities, FileStore, MoveOutcome, Moves}
import stoplog.storage.VisibleFiles.Scope
import stoplog.storage.local.LocalUnderTest
import stoplog.thread.{Clock, Parallel}

/** Batch jobs that replace the files of one path, next to other jobs: readers see one order of all of them. */
class ReplacementsSuite extends AnyFunSuite {
  import ReplacementsSuite._

  for (step <- ofOverwrites) {
    test(s"an append during an overwrite at ${step.name} stays visible as a whole") {
      within { place =>
        place.plant("b/old.txt", "old")
        var appended = false
        place.overwrite(
          "batch-1",
          once(step) {
            place.append("batch-2", Faults.none, "b" -> "x", "c" -> "y", "d" -> "z")
            appended = true
          },
          "new"
        )
        assert(appended && place.rows === Vector("new", "x", "y", "z"))
        assert(nothingIsLeft(place))
      }
    }

    test(s"of two concurrent overwrites, overlapping at ${step.name}, the later record wins") {
      within { place =>
        place.plant("b/old.txt", "old")
        place.overwrite("batch-1", once(step)(place.overwrite("batch-2", Faults.none, "other")), "new")
        assert(place.rows === Vector(if (beforeRecord(step)) "new" else "other"))
        assert(nothingIsLeft(place))
      }
    }

    test(s"an overwrite that died at ${step.name} has no effect after a later overwrite") {
      within { place =>
        place.plant("b/old.txt", "old")
        try place.overwrite("batch-1", new FaultAtStep(step), "new")
        catch { case _: Died => () }
        place.overwrite("batch-2", Faults.none, "later")
        assert(place.rows === Vector("later"))
        next(place)
        place.append("batch-3", Faults.none, "b" -> "added")
        assert(place.rows === Vector("added", "later"))
      }
    }
  }

  for (step <- ofOverwrites) {
    test(s"overwrites of two partitions, overlapping at ${step.name}, both replace exactly their partition") {
      within { place =>
        Seq("a", "b", "c").foreach(bucket => place.plant(s"$bucket/old.txt", s"old $bucket"))
        place.overwritePartition(
          "batch-1",
          once(step)(place.overwritePartition("batch-2", Faults.none, "c", "new c"): Unit),
          "b",
          "new b"
        )
        assert(place.rows === Vector("new b", "new c", "old a"))
        assert(nothingIsLeft(place))
      }
    }

    test(s"an overwrite of a partition that died at ${step.name} is whole or absent, and touches no other") {
      within { place =>
        Seq("a", "b", "c").foreach(bucket => place.plant(s"$bucket/old.txt", s"old $bucket"))
        try place.overwritePartition("batch-1", new FaultAtStep(step), "b", "new b"): Unit
        catch { case _: Died => () }
        place.overwritePartition("batch-2", Faults.none, "c", "new c")
        val b = if (beforeRecord(step)) "old b" else "new b"
        assert(place.rows === Vector("new c", "old a", b).sorted)
        next(place)
        assert(place.rows === Vector("new c", "old a", b).sorted)
      }
    }
  }

  test("fifty concurrent overwrites of fifty partitions all succeed, and readers see exactly their rows") {
    within { place =>
      (0 to 50).foreach(n => place.plant(s"day=$n/old.txt", s"old $n"))
      val pool  = Executors.newFixedThreadPool(50)
      val start = new CountDownLatch(1)
      val jobs  = (1 to 50).map { n =>
        CompletableFuture.supplyAsync[JobOutcome](
          () => {
            start.await()
            place.overwritePartition(s"batch-$n", Faults.none, s"day=$n", s"new $n")
          },
          pool
        )
      }
      start.countDown()
      pool.shutdown()
      assert(pool.awaitTermination(300, TimeUnit.SECONDS))
      val outcome =
        JobOutcome(files = 1, rows = 1, replacedFiles = 1, replacedBytes = 0, replacedPartitions = 1)
      jobs.foreach(job => assert(job.get().copy(replacedBytes = 0) === outcome))
      assert(place.rows === ("old 0" +: (1 to 50).map(n => s"new $n")).sorted)
    }
  }

  test("an overwrite of a path that is a link replaces the files of the target, and the link stays") {
    within { place =>
      place.plant("b/old.txt", "old")
      val link = place.root.resolveSibling(s"${place.root.getFileName}-link")
      Files.createSymbolicLink(link, place.root)
      try {
        val linked = new JobFixture(link)
        linked.overwrite("batch-1", Faults.none, "new")
        assert(Files.isSymbolicLink(link) && place.rows === Vector("new"))
        linked.append("batch-2", Faults.none, "c" -> "added")
        linked.overwritePartition("batch-3", Faults.none, "b", "newer")
        assert(place.rows === Vector("added", "newer") && nothingIsLeft(place))
      } finally Files.delete(link)
    }
  }

  test("an overwrite of a partition in which a query has open parts is refused with the way out") {
    within { place =>
      Seq("a", "b").foreach(bucket => place.plant(s"$bucket/old.txt", s"old $bucket"))
      place.hasOpenPart("b")
      val refused = intercept[StoplogArgumentException](
        place.overwritePartition("batch-1", Faults.none, "b", "new b")
      )
      assert(refused.getCondition === "STOPLOG_PATH_NOT_WRITABLE")
      assert(
        refused.getMessage.contains("sink main has open parts there") && refused.getMessage.contains(
          "finalize"
        )
      )
      place.overwritePartition("batch-2", Faults.none, "a", "new a")
      assert(place.rows === Vector("new a", "old b"))
    }
  }

  test("a delete of a partition hides its markers, and changes no other partition") {
    within { place =>
      Seq("a/old.txt", "b/old.txt", "b/_SUCCESS", "b/nested/old.txt").foreach(place.plant(_, "old"))
      val job = place.job("batch-1")
      job.begin(slots = 0)
      val outcome = job.commit(Nil, JobCommit.Replacing.Within(Scope.Directories(Vector("b"))))
      assert(outcome.replacedFiles === 2 && outcome.replacedPartitions === 2)
      assert(place.names === Set("a/old.txt"))
      assert(!Files.exists(place.root.resolve("b")))
    }
  }

  for ((step, occurrence) <- ofAppends)
    test(
      s"an overwrite during an append at ${step.name}, $occurrence, replaces all or nothing of the append"
    ) {
      within { place =>
        place.plant("b/old.txt", "old")
        place.append(
          "batch-1",
          once(step, occurrence)(place.overwrite("batch-2", Faults.none, "new")),
          "b" -> "x",
          "c" -> "y",
          "d" -> "z"
        )
        val expected = if (beforeRecord(step)) Vector("new", "x", "y", "z") else Vector("new")
        assert(place.rows === expected)
        next(place)
        assert(place.rows === expected && nothingIsLeft(place))
      }
    }

  test("an append that ends after an overwrite's cut keeps its log until the overwrite ends") {
    within { place =>
      place.plant("b/old.txt", "old")
      var kept = false
      place.overwrite(
        "batch-1",
        once(Step.CutTaken) {
          place.append("batch-2", Faults.none, "b" -> "x")
          kept = place.hasLeft("batch-2")
          next(place) // which must not remove the log either
          kept &= place.hasLeft("batch-2")
        },
        "new"
      )
      assert(kept && place.rows === Vector("new", "x"))
    }
  }

  test("fifty concurrent overwrites of a path all succeed, and a single result is visible") {
    within { place =>
      place.plant("b/old.txt", "old")
      val pool  = Executors.newFixedThreadPool(50)
      val start = new CountDownLatch(1)
      val jobs  = (1 to 50).map { n =>
        CompletableFuture.runAsync(
          () => {
            start.await()
            place.overwrite(s"batch-$n", Faults.none, s"row $n")
          },
          pool
        )
      }
      start.countDown()
      pool.shutdown()
      assert(pool.awaitTermination(300, TimeUnit.SECONDS))
      jobs.foreach(_.get())
      assert(place.rows.size === 1 && place.rows.head.startsWith("row "))
    }
  }

  test("an overwrite that cannot hide a file is cancelled, and old rows stay visible") {
    within { place =>
      Seq("a", "b", "c").foreach(bucket => place.plant(s"$bucket/old.txt", s"old $bucket"))
      val failed =
        intercept[StoplogException](place.overwrite("batch-1", Faults.none, "new", refusing("b/old.txt")))
      assert(failed.getCondition === "STOPLOG_BATCH_CALLED_OFF")
      assert(failed.getMessage.contains("Operation not permitted"))
      assert(place.rows === Vector("old a", "old b", "old c"))
      assert(!place.hasLeft("batch-1"))
      place.append("batch-2", Faults.none, "b" -> "added")
      assert(place.rows === Vector("added", "old a", "old b", "old c"))
      place.overwrite("batch-3", Faults.none, "new")
      assert(place.rows === Vector("new"))
    }
  }

  test("the next job cancels a dead overwrite if a file can no longer be hidden") {
    for (step <- Seq(Step.AfterRecord, Step.MidReplace)) within { place =>
      Seq("a", "b", "c").foreach(bucket => place.plant(s"$bucket/old.txt", s"old $bucket"))
      intercept[Died](place.overwrite("batch-1", new FaultAtStep(step), "new"))
      next(place, refusing("c/old.txt"))
      assert(place.rows === Vector("old a", "old b", "old c"))
      next(place)
      place.append("batch-2", Faults.none, "b" -> "added")
      assert(place.rows === Vector("added", "old a", "old b", "old c"))
    }
  }

  test("a cancelled overwrite keeps a new file of the same name and blocks no job") {
    within { place =>
      Seq("a", "b").foreach(bucket => place.plant(s"$bucket/old.txt", s"old $bucket"))
      val faults = once(Step.MidReplace)(place.plant("a/old.txt", "of another program"))
      intercept[StoplogException](place.overwrite("batch-1", faults, "new", refusing("b/old.txt")))
      assert(place.rows === Vector("of another program", "old b"))
      place.overwrite("batch-2", Faults.none, "new")
      assert(place.rows === Vector("new"))
    }
  }

  for (step <- Seq(Step.AfterRecord, Step.MidReplace, Step.AfterReplace))
    test(s"recovery of an overwrite that died at ${step.name} keeps a file created since") {
      for (store <- Seq[FileStore => FileStore](identity, copying)) within { place =>
        place.plant("a/old.txt", "old")
        intercept[Died](place.overwrite("batch-1", new FaultAtStep(step), "new", store))
        place.plant("a/old.txt", "of another program")
        next(place, store)
        assert(place.rows === Vector("new", "of another program"))
      }
    }

  test("recovery keeps a file created since with the length of a file that is already hidden") {
    within { place =>
      place.plant("a/old.txt", "old")
      intercept[Died](place.overwrite("batch-1", new FaultAtStep(Step.AfterReplace), "new"))
      place.plant("a/old.txt", "OLD")
      next(place)
      assert(place.rows === Vector("OLD", "new"))
    }
  }

  test("an overwrite of an empty path with missing parts is cancelled and blocks no job") {
    within { place =>
      intercept[Died](place.overwrite("batch-1", new FaultAtStep(Step.AfterRecord), "new"))
      LocalUnderTest.remove(place.root.resolve("_stoplog/batch-1"))
      place.overwrite("batch-2", Faults.none, "later")
      assert(place.rows === Vector("later"))
    }
  }

  test("recovery of an overwrite treats a part taken by a reader as visible, not lost") {
    within { place =>
      place.plant("b/old.txt", "old")
      intercept[Died](place.overwrite("batch-1", new FaultAtStep(Step.PartPublished), "new"))
      place.take("b")
      place.overwrite("batch-2", Faults.none, "later")
      assert(place.rows === Vector("later"))
    }
  }

  test("the next job removes an announced job if a lock proves its death") {
    within { place =>
      intercept[Died](place.overwrite("batch-1", new FaultAtStep(Step.CutTaken), "new"))
      next(place)
      assert(place.jobs.isEmpty)
    }
  }

  test("a decided overwrite with missing parts is cancelled, and no file is hidden") {
    within { place =>
      place.plant("b/old.txt", "old")
      intercept[Died](place.overwrite("batch-1", new FaultAtStep(Step.AfterRecord), "new"))
      LocalUnderTest.remove(place.root.resolve("_stoplog/batch-1/open"))
      next(place)
      assert(place.rows === Vector("old"))
    }
  }

  test("a driver that sleeps a day before its record is cancelled") {
    within { place =>
      place.plant("b/old.txt", "old")
      val failed = intercept[StoplogException] {
        place.overwrite(
          "batch-1",
          once(Step.BeforeRecord)(place.job("batch-1", clock = later(minutes = 25 * 60)).rollForward()),
          "new"
        )
      }
      assert(failed.getCondition === "STOPLOG_BATCH_CALLED_OFF")
      assert(place.rows === Vector("old"))
    }
  }
}

private object ReplacementsSuite {

  /** The steps of an overwrite from its announcement on, in their order. */
  val ofOverwrites: Vector[Step] = Vector(
    Step.CutTaken,
    Step.BeforeRecord,
    Step.RecordWritten,
    Step.AfterRecord,
    Step.MidReplace,
    Step.AfterReplace,
    Step.ReplacementNoted,
    Step.PartPublished,
    Step.AfterPublish,
    Step.AfterForget,
    Step.AfterMark,
    Step.AfterTrim,
    Step.MidRemove
  )

  /** The steps of an append of three parts, each with its occurrence. */
  val ofAppends: Vector[(Step, Int)] =
    Vector(Step.BeforeRecord, Step.RecordWritten, Step.AfterRecord).map(_ -> 1) ++
      Vector(Step.PartPublished -> 1, Step.PartPublished -> 2, Step.PartPublished -> 3) ++
      Vector(Step.AfterPublish, Step.AfterMark, Step.AfterTrim, Step.MidRemove).map(_ -> 1)

  def beforeRecord(step: Step): Boolean =
    Set[Step](Step.CutTaken, Step.BeforeRecord, Step.RecordWritten)(step)

  /** Happens once, at this occurrence of the step. */
  def once(step: Step, occurrence: Int = 1)(happens: => Unit): Faults = {
    var seen = 0
    now =>
      if (now == step) {
        seen += 1
        if (seen == occurrence) happens
      }
  }

  /** Refuses to move this file, for good. */
  def refusing(file: String): FileStore => FileStore = new DelegatingFileStore(_) {
    override def move(from: String, to: String): MoveOutcome =
      if (from == file) {
        val cause = new IOException("Operation not permitted")
        throw Errors.storeWrite(from, cause.getMessage, cause)
      } else super.move(from, to)
  }

  /** Moves files by a copy and a deletion, like a store of objects. */
  def copying: FileStore => FileStore = new DelegatingFileStore(_) {
    override def capabilities: FileCapabilities = super.capabilities.copy(moves = Moves.ByCopy)
  }

  /** What any job does before it begins. */
  def next(place: JobFixture, hiding: FileStore => FileStore = identity): Unit = {
    val tools =
      DriverTools(Clock.system, Faults.none, DriverLock.semaphore(), Parallel.sequential, StorageRetry.never)
    new Replacements(place.logs(hiding = hiding), MemoryNotes.unasked, LostPart.Fail, tools).recover()
    place.jobs.foreach(name => place.job(name).rollForward())
  }

  def nothingIsLeft(place: JobFixture): Boolean = {
    next(place)
    place.jobs.isEmpty
  }
}
