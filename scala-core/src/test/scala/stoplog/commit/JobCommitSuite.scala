// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.IOException
import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime

import org.scalatest.funsuite.AnyFunSuite

import stoplog.log.LogFiles
import stoplog.commit.JobCommit.Replacing
import stoplog.error.{Errors, StoplogArgumentException, StoplogException}
import stoplog.fault.{Faults, InjectedFault, Step}
import stoplog.log.{CommitLog, LogRecord, MemoryRecords, RecordKind, SinkState}
import stoplog.part.RunId
import stoplog.rolling.RollReason
import stoplog.storage.{JobDirectory, PartLayout, SpoolFiles}
import stoplog.storage.local._

/** Batch jobs on local disks, beside what others write under the same path. */
class JobCommitSuite extends AnyFunSuite {
  import JobCommitSuite._

  test("an overwrite that died is carried out later, and takes nothing that came after it was decided") {
    within { place =>
      place.plant("b/old.txt", "old")
      place.plant("c/old.txt", "old as well")
      intercept[Died](place.overwrite("batch-1", new Dying(Step.AfterRecord), "new"))
      place.plant("b/part-1.txt", "of a stream")
      place.plant("c/d/part-2.txt", "of another job")
      place.job("batch-1").rollForward()
      assert(place.rows === Vector("new", "of a stream", "of another job"))
      assert(!Files.exists(place.root.resolve("_stoplog/batch-1")))
    }
  }

  test("an overwrite that a former release has decided takes what was there then, and nothing else") {
    within { place =>
      place.plant("b/old.txt", "old", secondsAgo = 100)
      place.plant("c/old.txt", "of a directory that was not there", secondsAgo = 100)
      place.plant("b/part-1.txt", "of a stream", secondsAgo = 50)
      place.decide("batch-1", settings = Map("replaced" -> "b/old.csv"), secondsAgo = 75)
      place.job("batch-1").rollForward()
      assert(place.rows === Vector("of a directory that was not there", "of a stream"))
    }
  }

  test(
    "an overwrite whose directory another job has removed, for it was silent for days, takes nothing away"
  ) {
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

  test("an overwrite is refused, and lets merges begin again, beside a file whose name cannot get longer") {
    for ((name, isRefused) <- Seq("x" * 245 -> false, "x" * 246 -> true, "ä" * 123 -> true)) within { place =>
      place.plant("b/old.txt", "old")
      place.plant(s"b/$name.txt", "older")
      place.plant("_stoplog/batch-1/overwrites", "batch-1")
      if (isRefused) {
        val refused = intercept[StoplogArgumentException](place.overwrite("batch-1", Faults.none, "new"))
        assert(refused.getCondition === "STOPLOG_PATH_NOT_WRITABLE")
        assert(refused.getMessage.contains(s"b/$name.txt"))
        assert(place.rows === Vector("old", "older"))
        assert(!place.filesOf("batch-1").contains("overwrites"))
      } else {
        place.overwrite("batch-1", Faults.none, "new")
        assert(place.rows === Vector("new"))
      }
    }
  }

  test("directories that an overwrite has emptied are gone, and others stay") {
    within { place =>
      place.plant("x=1/y=1/old.txt", "old")
      place.plant("b/old.txt", "old")
      place.overwrite("batch-1", Faults.none, "new")
      assert(place.rows === Vector("new"))
      assert(!Files.exists(place.root.resolve("x=1")))
    }
  }

  test(
    "what a job has decided that is still at work is carried out beside it, and removed when it has ended"
  ) {
    within { place =>
      place.plant("b/old.txt", "old", secondsAgo = 100)
      val living = place.job("batch-1")
      living.begin(slots = 1)
      place.decide("batch-1", settings = Map("replaced" -> "b"), secondsAgo = 75)
      place.job("batch-1").rollForward()
      assert(place.rows.isEmpty && place.hasLeft("batch-1"))
      living.abort()
      place.job("batch-1").rollForward()
      assert(!place.hasLeft("batch-1"))
    }
  }

  test("of two that carry a dead job on, the one that comes second removes nothing beneath the first one") {
    within { place =>
      intercept[Died](place.overwrite("batch-1", new Dying(Step.AfterRecord), "new"))
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

  test("a process that could not carry a job on keeps no other process from it") {
    within { place =>
      place.plant("b/old.txt", "old")
      intercept[Died](place.overwrite("batch-1", new Dying(Step.AfterRecord), "new"))
      JobCommit.rollForward(Seq(place.job("batch-1", new At(Step.AfterPublish))))
      assert(place.hasLeft("batch-1"))
      place.job("batch-1").rollForward()
      assert(!place.hasLeft("batch-1") && place.rows === Vector("new"))
    }
  }

  test("the removal of a job that is over goes on wherever it was broken off, also beside others") {
    val brokenOff = (1 to 8).count { after =>
      var isLeft = false
      within { place =>
        place.plant("b/old.txt", "old")
        place.overwrite("batch-1", new Nth(Step.MidRemove, after), "new")
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

  test(
    "a job whose rows are visible has succeeded, though its directory cannot be removed, and the next job removes it"
  ) {
    within { place =>
      place.append("batch-1", new At(Step.MidRemove), "b" -> "row")
      assert(place.rows === Vector("row") && place.hasLeft("batch-1"))
      place.job("batch-1").rollForward()
      assert(place.rows === Vector("row") && !place.hasLeft("batch-1"))
    }
  }

  test(
    "of a job that died the rows that are there become visible, though a reader took a part before that was noted"
  ) {
    within { place =>
      intercept[Died](place.append("batch-1", new Dying(Step.PartPublished), "b" -> "first", "c" -> "second"))
      assert(place.rows === Vector("first"))
      place.take("b")
      assert(Samples.condition(place.job("batch-1").rollForward()) === "STOPLOG_PART_LOST")
      assert(place.rows === Vector("second") && place.hasLeft("batch-1"))
      place.job("batch-1", onLost = LostPart.Skip).rollForward()
      assert(place.rows === Vector("second") && !place.hasLeft("batch-1"))
    }
  }

  test(
    "a job that fails behind its record says not to run it again, and the next job makes its rows visible"
  ) {
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

  test(
    "a job that does not know whether its record stands says how to see it, whatever the storage has answered"
  ) {
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

  test("a job that has decided nothing is left alone for a day") {
    within { place =>
      val living = place.job("batch-1")
      val done   = place.write("batch-1", living.begin(slots = 1), "row")
      place.job("batch-1", clock = later(minutes = 23 * 60)).rollForward()
      living.commit(Seq(done), Replacing.Nothing)
      assert(place.rows === Vector("row") && !place.hasLeft("batch-1"))
    }
  }

  test("and can decide nothing any more after it, should it still be alive") {
    within { place =>
      val living = place.job("batch-1")
      val done   = place.write("batch-1", living.begin(slots = 1), "row")
      place.job("batch-1", clock = later(minutes = 24 * 60 + 1)).rollForward()
      assert(place.hasLeft("batch-1"))
      assert(Samples.condition(living.commit(Seq(done), Replacing.Nothing)) === "STOPLOG_FENCED")
      assert(place.rows.isEmpty)
    }
  }

  test("what a dead job has left that decided nothing is removed after a day, and not before") {
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

  test("the logs of batch jobs are told from those of sinks by a prefix that no release may change") {
    assert(JobCommit.Prefix === "batch-")
  }
}

private object JobCommitSuite {
  private val policy = Rolls(onEpochEnd = _ => Some(RollReason.Checkpoint)).policy

  final class At(step: Step) extends Faults {
    override def at(now: Step): Unit = if (now == step) throw new InjectedFault(step)
  }

  /** Strikes at one occurrence of a step. */
  final class Nth(step: Step, last: Int) extends Faults {
    private var left = last

    override def at(now: Step): Unit = if (now == step) {
      left -= 1
      if (left == 0) throw new InjectedFault(step)
    }
  }

  /** The end of a process, which nothing catches. */
  final class Died extends VirtualMachineError

  final class Dying(step: Step) extends Faults {
    override def at(now: Step): Unit = if (now == step) throw new Died
  }

  /** A log that does not answer, whether it has written the record or not. */
  final class Silent(written: Boolean) extends MemoryRecords {
    private def noAnswer = throw Errors.storeWrite("the log", "no answer", new IOException("no answer"))

    beforePut = _ => if (!written) noAnswer
    beforeList = () => noAnswer
  }

  final class When(step: Step, happens: () => Unit) extends Faults {
    override def at(now: Step): Unit = if (now == step) happens()
  }

  def later(minutes: Int): Clock = new ManualClock(System.currentTimeMillis() + minutes * 60 * 1000L)

  def within(body: Place => Unit): Unit = {
    val root = Files.createTempDirectory("stoplog-jobs")
    try body(new Place(root))
    finally LocalUnderTest.remove(root)
  }

  final class Place(val root: Path) {

    def plant(file: String, row: String, secondsAgo: Int = 0): Unit = {
      val path = root.resolve(file)
      Files.createDirectories(path.getParent)
      Files.writeString(path, s"$row\n")
      Files.setLastModifiedTime(path, FileTime.fromMillis(ago(secondsAgo)))
      ()
    }

    def rows: Vector[String] = LocalUnderTest
      .visible(root)
      .toVector
      .flatMap(file => Files.readString(root.resolve(file)).linesIterator)
      .filter(_ != "#")
      .sorted

    def filesOf(directory: String): Vector[String] =
      Option(root.resolve(s"_stoplog/$directory").toFile.list()).toVector.flatten

    def hasLeft(job: String): Boolean = Files.exists(root.resolve(s"_stoplog/$job"))

    val clock = new ManualClock(System.currentTimeMillis())

    def job(
        name: String,
        faults: Faults = Faults.none,
        clock: Clock = Clock.system,
        onLost: LostPart = LostPart.Fail,
        log: Option[LogFiles] = None
    ): JobCommit =
      new JobCommit(
        RunId.random(),
        SinkIdentity(root.toString, name, name),
        log.fold(this.log(name))(new CommitLog(_)),
        parts(name),
        new JobDirectory(LocalFileStore.ofSink(root.toString, name, LocalForcing.Process), name),
        DriverTools(clock, faults, DriverLock.semaphore(), Parallel.sequential, StorageRetry.never),
        JobCommit.Rules(MemoryNotes.unasked, onLost)
      )

    def overwrite(name: String, faults: Faults, row: String): Unit = {
      val job = this.job(name, faults)
      try job.commit(Seq(write(name, job.begin(slots = 1), row)), Replacing.Everything)
      finally job.abort()
    }

    /** @param rows each with its bucket */
    def append(name: String, faults: Faults, rows: (String, String)*): Unit = {
      val job = this.job(name, faults)
      try job.commit(Seq(written(name, job.begin(slots = 1), rows)), Replacing.Nothing)
      finally job.abort()
    }

    /** As a reader does it with a file that it has read. */
    def take(bucket: String): Unit = root.resolve(bucket).toFile.listFiles().foreach(_.delete())

    def task(name: String, job: JobCommit, row: String): TaskResult = write(name, job.begin(slots = 1), row)

    def write(name: String, plan: EpochPlan, row: String): TaskResult = written(name, plan, Seq("b" -> row))

    /** The work of the job's one task. */
    private def written(name: String, plan: EpochPlan, rows: Seq[(String, String)]): TaskResult = {
      val writer = TaskWriters.of(
        plan.forTask(0, Attempt.First),
        parts(name),
        Lines,
        policy,
        Clock.system,
        new SpoolFiles(LocalFileStore.ofSink(root.toString, name, LocalForcing.Process), name)
      )
      rows.foreach { case (bucket, row) => writer.write(bucket, row) }
      writer.commit()
    }

    /** As a job did that names directories. */
    def decide(name: String, settings: Map[String, String], secondsAgo: Int): Unit = {
      val state = SinkState(name, Some(0), Vector.empty, nextPart = 0, settings)
      log(name).append(LogRecord(0, RecordKind.Epoch(0), Samples.mine, ago(secondsAgo), Vector.empty, state))
      ()
    }

    private def ago(seconds: Int): Long = System.currentTimeMillis() - seconds * 1000L

    private def parts(name: String) =
      new LocalPartStore(root.toString, name, PartLayout.Staging(name), LocalForcing.Process, Faults.none)

    def log(name: String) =
      new CommitLog(new LogFiles(LocalFileStore.ofSink(root.toString, name, LocalForcing.Process), name))
  }
}
