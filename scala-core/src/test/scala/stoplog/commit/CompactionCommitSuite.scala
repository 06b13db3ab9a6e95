// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.attribute.FileTime
import java.nio.file.{Files, Path}

import org.scalatest.Assertions
import org.scalatest.funsuite.AnyFunSuite

import stoplog.fault.{Faults, InjectedFault, Step}
import stoplog.log.{CommitLog, LogFiles}
import stoplog.part.{FinishedPart, RunId}
import stoplog.sim.{FinishedOver, RecordsOver}
import stoplog.storage.{FileStore, NewPart, PartLayout, ReplacedFiles, SpoolFiles}
import stoplog.storage.local._

/** The batch command's protocol on local disks: stopped anywhere, and carried on by the next. */
class CompactionCommitSuite extends AnyFunSuite {
  import CompactionCommitSuite._

  for (
    step <- Seq(
      Step.AfterClaim,
      Step.BeforeCompact,
      Step.RecordWritten,
      Step.AfterRecord,
      Step.MidReplace,
      Step.AfterReplace,
      Step.MergeNoted,
      Step.MidPublish,
      Step.PartPublished,
      Step.AfterPublish,
      Step.AfterForget,
      Step.AfterMark
    )
  )
    test(s"stopped at ${step.name}: each line once, whatever the next run finds") {
      val place = new Place
      intercept[InjectedFault](place.compacted(place.commit(new Once(step))))
      assert(place.lines.distinct === place.lines, "no line is there twice, at any time")
      place.commit(Faults.none).carryOut()
      assert(place.lines.sorted === Seq("one", "three", "two"))
      place.compacted(place.commit(Faults.none))
      assert(place.lines.sorted === Seq("one", "three", "two"))
      assert(place.names.size === 1 || place.names.size === 2)
    }

  test("of two at once, the older one can decide nothing more") {
    val place = new Place
    val older = place.commit(Faults.none)
    older.begin()
    val merge = place.merge("1.txt", "2.txt")
    val made  = place.written(merge)
    val newer = place.commit(Faults.none)
    newer.begin()
    assert(Samples.condition(older.replace(merge, made)) === "STOPLOG_FENCED")
    assert(place.names === Set("b/1.txt", "b/2.txt", "b/3.txt"))
    assert(newer.replace(merge, made))
    assert(place.lines.sorted === Seq("one", "three", "two"))
  }

  for ((ending, step) <- Seq("and dies" -> Step.AfterReplace, "and sleeps" -> Step.AfterRecord))
    test(
      s"a merge that another run decides, $ending, just when this one has looked at the log: each line once"
    ) {
      val place = new Place
      val other = place.commit(new Once(step))
      other.begin()
      val theirs = place.merge("1.txt", "2.txt")
      val made   = place.written(theirs)
      val mine   = place.merge("1.txt", "2.txt")
      val ready  = place.written(mine)
      val run    = place.commit(
        Faults.none,
        new LooksOnce(_, () => intercept[InjectedFault](other.replace(theirs, made)))
      )
      run.begin()
      run.replace(mine, ready)
      run.end()
      if (step == Step.AfterRecord) assert(Samples.condition(other.end()) === "STOPLOG_FENCED")
      assert(place.lines.sorted === Seq("one", "three", "two"))
    }

  test("a merge that was decided before an overwrite, by a run that died, does not come back after it") {
    val place = new Place
    intercept[InjectedFault](place.compacted(place.commit(new Once(Step.AfterRecord))))
    place.overwrite("batch-1", "new")
    place.commit(Faults.none).carryOut()
    place.compacted(place.commit(Faults.none))
    assert(place.lines === Seq("new"))
  }

  test("a compaction that is alive decides nothing once an overwrite has begun, and none begins beside it") {
    val place = new Place
    val alive = place.commit(Faults.none)
    alive.begin()
    val merge = place.merge("1.txt", "2.txt")
    val made  = place.written(merge)
    place.overwriting("batch-1").begin()
    assert(Samples.condition(alive.replace(merge, made)) === "STOPLOG_FENCED")
    place.commit(Faults.none).begin()
    assert(Samples.condition(place.refuseUnderWay("batch-1")) === "STOPLOG_PATH_NOT_WRITABLE")
    place.overwrite("batch-1", "new")
    place.refuseUnderWay("batch-1")
    assert(place.lines === Seq("new"))
  }

  test("an overwrite of a directory that was never compacted leaves no log of compactions there") {
    val place = new Place
    place.overwrite("batch-1", "new")
    assert(!Files.exists(place.root.resolve("_stoplog/compact/log")))
  }

  test("who sets aside what others have brought back, as the merged part was lost, brings it back again") {
    val place = new Place
    val merge = place.merge("1.txt", "2.txt")
    val made  = place.written(merge)
    place.die(Step.AfterRecord, merge, made)
    Files.delete(place.root.resolve(made.handle.token))
    val newest = place.log(Faults.none).newest().toVector
    val sleeps =
      place.ledger(new Sleeps(place.finished, () => newest.foreach(place.ledger(place.finished).recover(_))))
    newest.foreach(sleeps.recover(_))
    place.compacted(place.commit(Faults.none)) // which sweeps
    assert(place.lines.sorted === Seq("one", "three", "two"))
  }

  test(
    "what a process that dies has set aside for a merge of long ago, which others called off, comes back"
  ) {
    val place = new Place
    val merge = place.merge("1.txt", "2.txt")
    val made  = place.written(merge)
    place.die(Step.AfterRecord, merge, made)
    val decided = place.log(Faults.none).newest().get
    Files.delete(place.root.resolve(made.handle.token))
    place.commit(Faults.none).begin() // which calls it off
    for (_ <- 1 to 60) { // after which its record is trimmed
      val run = place.commit(Faults.none)
      run.begin()
      run.end()
    }
    assert(!place.records.list().contains(decided.seq))
    place.finished.hide(decided.seq, "b/1.txt") // by a process that dies now
    assert(place.names === Set("b/2.txt", "b/3.txt"))
    place.commit(Faults.none).begin() // which sweeps
    assert(place.lines.sorted === Seq("one", "three", "two"))
  }

  test("a run removes what dead ones have left unfinished, once it is older than eleven minutes") {
    val place                       = new Place
    def left(minutesAgo: Int): Path = {
      val file = place.root.resolve(place.written(place.merge("1.txt", "2.txt")).handle.token)
      Files.setLastModifiedTime(
        file,
        FileTime.fromMillis(System.currentTimeMillis() - minutesAgo * 60 * 1000L)
      )
      file
    }
    val old   = left(minutesAgo = 12)
    val young = left(minutesAgo = 1)
    place.commit(Faults.none).begin()
    assert(!Files.exists(old) && Files.exists(young))
  }

  test("nothing is replaced by a merge of files that are no longer what they were") {
    val place  = new Place
    val commit = place.commit(Faults.none)
    commit.begin()
    val merge = place.merge("1.txt", "2.txt")
    val made  = place.written(merge)
    Files.delete(place.root.resolve("b/1.txt"))
    assert(!commit.replace(merge, made))
    assert(place.names === Set("b/2.txt", "b/3.txt"))
  }

  test("when the merged part is lost, what was set aside comes back, and the next run merges it again") {
    val place = new Place
    val merge = place.merge("1.txt", "2.txt")
    val made  = place.written(merge)
    place.die(Step.AfterReplace, merge, made)
    assert(place.names === Set("b/3.txt"))
    Files.delete(place.root.resolve(made.handle.token))
    place.commit(Faults.none).carryOut()
    assert(place.names === Set("b/1.txt", "b/2.txt", "b/3.txt"))
    place.compacted(place.commit(Faults.none))
    assert(place.names.size === 2)
    assert(place.lines.sorted === Seq("one", "three", "two"))
  }
}

private object CompactionCommitSuite {
  val Identity: SinkIdentity = SinkIdentity("/data/out", "compact", "compact")

  def tools(faults: Faults): DriverTools =
    DriverTools(Clock.system, faults, DriverLock.semaphore(), Parallel.sequential, StorageRetry.never)

  /** Fails once. */
  final class Once(step: Step) extends Faults {
    private var done = false

    override def at(now: Step): Unit = if (now == step && !done) {
      done = true
      throw new InjectedFault(step)
    }
  }

  /** After the first look, something happens. */
  final class LooksOnce(real: LogFiles, happens: () => Any) extends RecordsOver(real) {
    private var done = false

    override def list(): Vector[Long] = {
      val found = super.list()
      if (!done) {
        done = true
        happens()
      }
      found
    }
  }

  /** Others are at it before the first part is set aside. */
  final class Sleeps(real: ReplacedFiles, happens: () => Unit) extends FinishedOver(real) {
    private var done = false

    override def hide(seq: Long, path: String): Unit = {
      if (!done) {
        done = true
        happens()
      }
      super.hide(seq, path)
    }
  }

  /** A directory with three files of one line each. */
  final class Place {
    val root: Path = Files.createTempDirectory("stoplog-compact")
    Files.createDirectories(root.resolve("b"))
    Seq("one", "two", "three").zipWithIndex.foreach { case (line, n) =>
      Files.write(root.resolve(s"b/${n + 1}.txt"), s"$line\n".getBytes(UTF_8))
    }
    private val sinkId = Identity.sinkId
    private val run    = RunId.random()

    def store: LocalPartStore   = storeOf(Faults.none)
    def finished: ReplacedFiles =
      new ReplacedFiles(LocalFileStore.ofSink(root.toString, sinkId, LocalForcing.Process), sinkId)
    def names: Set[String] = LocalUnderTest.visible(root)
    def lines: Seq[String] = names.toSeq.sorted
      .flatMap(n => Files.readString(root.resolve(n)).linesIterator)
      .filter(_ != "#")
    def log(faults: Faults): CommitLog = new CommitLog(records(faults))

    def records: LogFiles                         = records(Faults.none)
    private def records(faults: Faults): LogFiles =
      new LogFiles(LocalFileStore.ofSink(root.toString, sinkId, LocalForcing.Process), sinkId, faults)

    def commit(faults: Faults, as: LogFiles => LogFiles = identity): CompactionCommit =
      new CompactionCommit(
        RunId.random(),
        Identity,
        SinkStores.of(
          new CommitLog(
            as(records(faults))
          ),
          storeOf(faults),
          spoolFiles,
          finished,
          new MemoryNotes
        ),
        tools(faults)
      )

    def ledger(finished: ReplacedFiles): Ledger = new Ledger(
      RunId.random(),
      Identity,
      SinkStores.of(log(Faults.none), store, spoolFiles, finished),
      LostPart.Fail,
      MemoryNotes.unasked,
      tools(Faults.none)
    )

    private def jobs = new JobCommitSuite.Place(root)

    def notes: FileStore = LocalFileStore.ofSink(root.toString, sinkId, LocalForcing.Process)

    def overwriting(job: String, sinks: Map[String, CommitLog] = Map.empty): Overwrite =
      new Overwrite(root.toString, job, notes, () => sinks, commit(Faults.none))

    def jobLog(job: String): CommitLog = jobs.log(job)

    def overwrite(job: String, row: String): Unit = {
      overwriting(job).begin()
      jobs.overwrite(job, Faults.none, row)
    }

    def refuseUnderWay(job: String): Unit =
      Overwrite.refuseUnderWay(root.toString, Map(job -> jobs.log(job)), notes)

    private def spoolFiles =
      new SpoolFiles(LocalFileStore.ofSink(root.toString, sinkId, LocalForcing.Process), sinkId)

    /** Decides the merge, and ends at this step of it. */
    def die(step: Step, merge: Merge, made: Merged): Unit = {
      val commit = this.commit(new Once(step))
      commit.begin()
      Assertions.intercept[InjectedFault](commit.replace(merge, made)): Unit
    }

    /** The first two files, if they are there still. */
    def compacted(commit: CompactionCommit): Unit = {
      commit.begin()
      if (names("b/1.txt")) {
        val merge = this.merge("1.txt", "2.txt")
        commit.replace(merge, written(merge))
      }
      commit.end()
    }

    def merge(inputs: String*): Merge = Merge(
      inputs.toVector.map(name => FinishedPart("b", name, Files.size(root.resolve(s"b/$name")), 1, -1)),
      NewPart("b", s"part-${run.uid}-m${System.nanoTime()}.txt", run)
    )

    def written(merge: Merge): Merged = {
      val bytes = merge.inputs.flatMap(part => Files.readAllBytes(root.resolve(part.path))).toArray
      val out   = store.create(merge.part)
      out.write(bytes, 0, bytes.length)
      Merged(out.finish(), bytes.length.toLong)
    }

    private def storeOf(faults: Faults): LocalPartStore =
      new LocalPartStore(root.toString, sinkId, PartLayout.Staging(sinkId), LocalForcing.Process, faults)
  }
}
