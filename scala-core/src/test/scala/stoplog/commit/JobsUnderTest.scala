// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.IOException
import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime

import stoplog.commit.JobCommit.Replacing
import stoplog.error.Errors
import stoplog.fault.{Faults, InjectedFault, Step}
import stoplog.log.{CommitLog, LogFiles, LogRecord, MemoryRecords, QueryEpoch, RecordKind, SinkState}
import stoplog.part.RunId
import stoplog.plan.{Attempt, EpochPlan, TaskResult}
import stoplog.rolling.RollReason
import stoplog.storage.{FileStore, JobDirectory, PartLayout, ReplacedFiles, SpoolFiles}
import stoplog.storage.VisibleFiles.Scope
import stoplog.storage.local._
import stoplog.thread.{Clock, Parallel}
import stoplog.writing.TaskWriters

/** Batch jobs on a local disk, and faults that stop them. */
private[commit] object JobsUnderTest {

  /** Two processes that hide the same files may be in each other's way for a moment. */
  private val retry = StorageRetry.jittered(tries = 20, baseMillis = 1, _ => Thread.`yield`())

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

  final class FaultAtStep(step: Step) extends Faults {
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

  def within(body: JobFixture => Unit): Unit = {
    val root = Files.createTempDirectory("stoplog-jobs")
    try body(new JobFixture(root))
    finally LocalUnderTest.remove(root)
  }

  final class JobFixture(val root: Path) {

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

    /** The paths of all files that readers see. */
    def names: Set[String] = LocalUnderTest.visible(root)

    /** Carries out what jobs that replace files have left, as a job does that replaces files itself. */
    def overwriteNothing(): Unit = ReplacementsSuite.next(this)

    def filesOf(directory: String): Vector[String] =
      Option(root.resolve(s"_stoplog/$directory").toFile.list()).toVector.flatten

    /** The jobs that have a directory. */
    def jobs: Vector[String] = filesOf("").filter(_.startsWith(JobCommit.Prefix)).sorted

    def hasLeft(job: String): Boolean = Files.exists(root.resolve(s"_stoplog/$job"))

    val clock = new ManualClock(System.currentTimeMillis())

    def job(
        name: String,
        faults: Faults = Faults.none,
        clock: Clock = Clock.system,
        onLost: LostPart = LostPart.Fail,
        log: Option[LogFiles] = None,
        hiding: FileStore => FileStore = identity
    ): JobCommit =
      new JobCommit(
        RunId.random(),
        SinkIdentity(root.toString, name, name),
        SinkStores
          .of(new CommitLog(log.getOrElse(new LogFiles(files(name), name, faults))), parts(name, faults)),
        new JobDirectory(files(name), name),
        logs(faults, hiding),
        DriverTools(clock, faults, DriverLock.semaphore(), Parallel.sequential, retry),
        JobCommit.Rules(MemoryNotes.unasked, onLost)
      )

    def overwrite(
        name: String,
        faults: Faults,
        row: String,
        hiding: FileStore => FileStore = identity
    ): Unit = {
      val job = this.job(name, faults, hiding = hiding)
      try job.commit(Seq(write(name, job.begin(slots = 1), row)), Replacing.Everything): Unit
      finally job.abort()
    }

    /** Replaces one bucket by a row. */
    def overwritePartition(name: String, faults: Faults, bucket: String, row: String): JobOutcome = {
      val job = this.job(name, faults)
      try
        job.commit(
          Seq(written(name, job.begin(slots = 1), Seq(bucket -> row))),
          Replacing.Within(Scope.Directories(Vector(bucket)))
        )
      finally job.abort()
    }

    /** @param rows each with its bucket */
    def append(name: String, faults: Faults, rows: (String, String)*): Unit = {
      val job = this.job(name, faults)
      try job.commit(Seq(written(name, job.begin(slots = 1), rows)), Replacing.Nothing): Unit
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

    /** As a query has left it that writes to the bucket. */
    def hasOpenPart(bucket: String): Unit = {
      val open     = Vector(Samples.open("part-1", bucket = bucket))
      val settings = Samples.settings.toMap
      val state    = SinkState(QueryEpoch("query-1", Some(0)), open, nextPart = 1, settings)
      log("main").append(LogRecord(0, RecordKind.Epoch(0), Samples.mine, ago(0), Vector.empty, state))
      ()
    }

    /** As a job did that is about to replace files. */
    def announce(name: String): Unit = new JobDirectory(files(name), name).announce()

    /** Makes all files of a job look older. */
    def age(name: String, hours: Int): Unit =
      LocalUnderTest.files(root.resolve(s"_stoplog/$name")).foreach { file =>
        Files.setLastModifiedTime(file, FileTime.fromMillis(ago(hours * 3600)))
      }

    /** As a job did that has no rows. */
    def decide(name: String): Unit = {
      val state = SinkState(QueryEpoch(name, Some(0)), Vector.empty, nextPart = 0, settings = Map.empty)
      log(name).append(LogRecord(0, RecordKind.Epoch(0), Samples.mine, ago(0), Vector.empty, state))
      ()
    }

    private def ago(seconds: Int): Long = System.currentTimeMillis() - seconds * 1000L

    private def parts(name: String, faults: Faults = Faults.none) =
      new LocalPartStore(root.toString, name, PartLayout.Staging(name), LocalForcing.Process, faults)

    private def files(name: String): FileStore =
      LocalFileStore.ofSink(root.toString, name, LocalForcing.Process)

    def log(name: String): CommitLog = new CommitLog(new LogFiles(files(name), name))

    /** As one process sees them. */
    def logs(faults: Faults = Faults.none, hiding: FileStore => FileStore = identity): PathLogs =
      new TestPathLogs(
        root.toString,
        files("any"),
        name =>
          SinkStores.of(
            new CommitLog(new LogFiles(files(name), name, faults)),
            parts(name, faults),
            SpoolFiles.none,
            new ReplacedFiles(hiding(files(name)), name),
            hiding(files(name))
          )
      )
  }
}
