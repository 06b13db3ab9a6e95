// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import java.io.OutputStream
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{CompletableFuture, CountDownLatch, ExecutionException}
import java.util.concurrent.TimeUnit.SECONDS

import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.commit._
import stoplog.error.StoplogException
import stoplog.fault.{Faults, Step}
import stoplog.log.LogFiles
import stoplog.log.{CommitLog, RecordKind}
import stoplog.part.{PartNaming, RunId}
import stoplog.plan.Attempt
import stoplog.rolling.DefaultRollingPolicy
import stoplog.sim.FinishedOver
import stoplog.storage.{JobDirectory, PartLayout, ReplacedFiles, SpoolFiles}
import stoplog.storage.hadoop.{HadoopFiles, HadoopSettings}
import stoplog.thread.{Clock, Parallel}
import stoplog.writing.{Member, RowPartFormat, SpoolWriter, TaskWriter}

/** Batch jobs on HDFS, where nobody can tell whether the driver of an unfinished job lives: what it has decided is
  * carried out by the next job in either case, and it may go on itself at any time.
  */
class HdfsJobsSuite extends AnyFunSuite {
  import HdfsJobsSuite._

  test("the next job completes the steps of a paused driver, which then ends identically") {
    for (at <- stops) withOld { place =>
      val decided = new Stop(at)
      val asleep  = place.begun(decided)
      decided.awaitReached()
      val isDecided =
        at.step == Step.MidRemove || place.replacements.newest().isDefined
      place.next()
      assert(place.rows() === (if (isDecided) newRows else oldRows), s"asleep at $at")
      decided.release()
      assert(asleep.failure().isEmpty, s"asleep at $at")
      assert(place.rows() === newRows, s"asleep at $at")
      if (place.hasJob) place.next(hoursLater = 25)
      assert(!place.hasJob && place.rows() === newRows, s"asleep at $at")
    }
  }

  test("a driver ends identically if a helper of its job pauses at any step", LongRun.Only) {
    for (at <- stops if Step.all.indexOf(at.step) > Step.all.indexOf(Step.BeforeRecord)) withOld { place =>
      val decided = new Stop(Point(Step.AfterRecord, 1))
      val driver  = place.begun(decided)
      decided.awaitReached()
      val stop   = new Stop(at)
      val helper = new Running(place.next(stop))
      if (stop.isReachedBefore(helper)) {
        decided.release()
        assert(driver.failure().isEmpty, s"the helper sleeps at $at")
        assert(place.rows() === newRows, s"the helper sleeps at $at")
        stop.release()
      } else decided.release()
      assert(helper.failure().isEmpty && driver.failure().isEmpty, s"the helper sleeps at $at")
      assert(place.rows() === newRows, s"the helper sleeps at $at")
    }
  }

  test("a helper that pauses before hiding files hides no published files") {
    withOld { place =>
      val decided = new Stop(Point(Step.AfterRecord, 1))
      val driver  = place.begun(decided)
      decided.awaitReached()
      val stop   = new Stop(Point(Step.MidReplace, 1))
      val helper = new Running(place.next(finished = new SleepsBeforeHiding(_, stop)))
      stop.awaitReached()
      decided.release()
      assert(driver.failure().isEmpty && place.rows() === newRows && !place.hasJob)
      stop.release()
      assert(helper.failure().isEmpty && place.rows() === newRows)
    }
  }

  test("a job idle for a day cannot decide, and is deleted a day later") {
    withOld { place =>
      val stop   = new Stop(Point(Step.BeforeRecord, 1))
      val asleep = place.begun(stop)
      stop.awaitReached()
      place.next(hoursLater = 23)
      assert(place.log.newest().isEmpty)
      place.next(hoursLater = 25)
      stop.release()
      val failure = asleep.failure().map(_.asInstanceOf[StoplogException].getCondition)
      assert(failure === Some("STOPLOG_BATCH_CALLED_OFF"))
      place.next(hoursLater = 25)
      assert(place.rows() === oldRows && !place.hasJob)
    }
  }

  test("a job with a file under construction is kept regardless of its age") {
    withOld { place =>
      val writer = place.writer()
      writer.write("a", "a row")
      place.job(hoursLater = 1000).rollForward()
      assert(place.log.newest().isEmpty)
      writer.close()
      place.job(hoursLater = 1000).rollForward()
      assert(place.log.newest().isDefined)
    }
  }

  /** Where an undisturbed job comes by: the first time of each step, and in a long run each time. */
  private lazy val stops: Vector[Point] = {
    var passed = Vector.empty[Step]
    withOld { place =>
      val all = new Faults {
        override def at(step: Step): Unit = passed :+= step
      }
      assert(place.begun(all).failure().isEmpty)
      assert(place.rows() === newRows && !place.hasJob)
    }
    passed.distinct.flatMap { step =>
      (1 to (if (LongRun.isOn) passed.count(_ == step) else 1)).map(Point(step, _))
    }
  }

  private def withOld(body: PlaceOfJob => Unit): Unit = {
    val storage = HdfsUnderTest.create()
    try {
      Seq("a/old.txt", "b/old.txt").foreach(file => storage.plant(file, s"old in $file\n".getBytes(UTF_8)))
      body(new PlaceOfJob(storage))
    } finally storage.close()
  }
}

private object HdfsJobsSuite {
  val Name = "batch-1"

  val oldRows: Vector[String] = Vector("old in a/old.txt", "old in b/old.txt")
  val newRows: Vector[String] = Vector("new in a", "new in c")

  /** A step, the first, second, … time. */
  final case class Point(step: Step, occurrence: Int)

  /** Holds whoever comes by there, once. */
  final class Stop(point: Point) extends Faults {
    @transient private val reached = new CountDownLatch(1)
    @transient private val go      = new CountDownLatch(1)
    private var seen               = 0

    override def at(step: Step): Unit = if (step == point.step && next() == point.occurrence) {
      reached.countDown()
      go.await()
    }

    def awaitReached(): Unit = assert(reached.await(180, SECONDS), s"$point was not reached")

    /** `false` when the action ended without coming by. */
    def isReachedBefore(running: Running): Boolean = {
      running.atEnd(() => reached.countDown())
      awaitReached()
      !running.hasEnded
    }

    def release(): Unit = go.countDown()

    private def next(): Int = synchronized { seen += 1; seen }
  }

  /** An action on a thread of its own. */
  final class Running(action: => Unit) {
    private val future =
      CompletableFuture.runAsync(() => action, task => new Thread(task).start())

    def failure(): Option[Throwable] =
      try { future.get(180, SECONDS); None }
      catch { case e: ExecutionException => Some(e.getCause) }

    def atEnd(action: () => Unit): Unit = { future.whenComplete((_, _) => action()); () }

    def hasEnded: Boolean = future.isDone
  }

  final class SleepsBeforeHiding(real: ReplacedFiles, stop: Stop) extends FinishedOver(real) {
    override def hide(seq: Long, path: String): Unit = {
      stop.at(Step.MidReplace)
      super.hide(seq, path)
    }
  }

  final class PlaceOfJob(storage: HdfsUnderTest) {
    val files = new HadoopFiles(storage.root, new HadoopSettings(HdfsUnderTest.configuration()))

    def log: CommitLog = log(Faults.none)

    def replacements: CommitLog = logs(Faults.none).replacements

    def hasJob: Boolean = files.status(files.at(s"_stoplog/$Name")).isDefined

    def plant(file: String, row: String): Unit = storage.plant(file, s"$row\n".getBytes(UTF_8))

    def remove(entry: String): Unit = { files.fileSystem.delete(files.at(entry), true); () }

    def rows(): Vector[String] =
      storage.visible().toVector.flatMap(file => new String(storage.bytes(file), UTF_8).linesIterator).sorted

    def job(
        faults: Faults = Faults.none,
        hoursLater: Int = 0
    ): JobCommit = new JobCommit(
      RunId.random(),
      SinkIdentity(storage.root, Name, Name),
      SinkStores.of(log(faults), parts(faults)),
      new JobDirectory(HdfsStorage.HdfsFileStore.ofSink(files, Name), Name),
      logs(faults),
      tools(faults, hoursLater),
      JobCommit.Rules(MemoryNotes.unasked)
    )

    /** What the next job does before it begins. */
    def next(
        faults: Faults = Faults.none,
        hoursLater: Int = 0,
        finished: ReplacedFiles => ReplacedFiles = identity
    ): Unit = {
      val path = logs(faults, finished)
      new Replacements(path, MemoryNotes.unasked, LostPart.Fail, tools(faults, hoursLater)).recover()
      job(faults, hoursLater).rollForward()
    }

    private def tools(faults: Faults, hoursLater: Int) = DriverTools(
      new ManualClock(System.currentTimeMillis() + hoursLater * 3600000L),
      faults,
      DriverLock.semaphore(),
      Parallel.sequential,
      StorageRetry.never
    )

    private def logs(faults: Faults, finished: ReplacedFiles => ReplacedFiles = identity): PathLogs = {
      def store(name: String) = HdfsStorage.HdfsFileStore.ofSink(files, name)
      new TestPathLogs(
        storage.root,
        store("any"),
        name =>
          SinkStores.of(
            new CommitLog(new LogFiles(store(name), name, faults)),
            HdfsUnderTest.parts(files, name, PartLayout.Staging(name), faults = faults),
            SpoolFiles.none,
            finished(new ReplacedFiles(store(name), name)),
            store(name)
          )
      ) {
        override def replacing(job: String, kind: RecordKind): Ledger.Stores =
          super.replacing(job, RecordKind.Compact) // whose files the test may hold up
      }
    }

    /** A job that replaces what is there, from its first row to its end. */
    def begun(faults: Faults): Running = {
      val job  = this.job(faults)
      val rows = writer(job)
      newRows.foreach(row => rows.write(row.takeRight(1), row))
      val done = rows.commit()
      new Running(job.commit(Seq(done), JobCommit.Replacing.Everything))
    }

    def writer(job: JobCommit = this.job()): TaskWriter[String] = new TaskWriter(
      job.begin(slots = 1).forTask(0, Attempt.First),
      parts(Faults.none),
      new SpoolWriter(new MemorySpoolFiles, Faults.none),
      PlainLines,
      TaskWriter.Rules(JobPolicy(DefaultRollingPolicy()), PartNaming("part", ".txt"), 10, _ => (), () => ()),
      TaskWriter.Tools(Clock.system, Faults.none)
    )

    private def log(faults: Faults) =
      new CommitLog(new LogFiles(HdfsStorage.HdfsFileStore.ofSink(files, Name), Name, faults))

    private def parts(faults: Faults) =
      HdfsUnderTest.parts(files, Name, PartLayout.Staging(Name), faults = faults)
  }

  private object PlainLines extends RowPartFormat[String] {
    override def start(out: OutputStream): Unit                = ()
    override def encode(row: String, out: OutputStream): Unit  = out.write(s"$row\n".getBytes(UTF_8))
    override def openMember(out: OutputStream): Option[Member] = None
  }
}
