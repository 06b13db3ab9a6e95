// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.JobsUnderTest._
import stoplog.error.StoplogException
import stoplog.fault.{Faults, InjectedFault, Step}
import stoplog.log.{LogRecord, QueryEpoch, RecordKind, SinkState}
import stoplog.part.{FinishedPart, RunId}
import stoplog.storage.{FileStore, JobDirectory, NewPart}
import stoplog.thread.{Clock, Parallel}

/** The batch compaction's protocol on local disks: stopped anywhere, next to other jobs, and carried on by the next. */
class CompactionJobSuite extends AnyFunSuite {
  import CompactionJobSuite._

  for (
    step <- Seq(
      Step.BeforeCompact,
      Step.CutTaken,
      Step.BeforeRecord,
      Step.RecordWritten,
      Step.AfterRecord,
      Step.MidReplace,
      Step.AfterReplace,
      Step.ReplacementNoted,
      Step.MidPublish,
      Step.PartPublished,
      Step.AfterPublish,
      Step.AfterForget,
      Step.AfterMark,
      Step.AfterTrim,
      Step.MidRemove
    )
  ) {
    test(s"a compaction that stops at ${step.name} keeps each row exactly once") {
      withThree { place =>
        try new Compacting(place, "batch-1", new At(step)).compact(): Unit
        catch { case _: InjectedFault | _: StoplogException => () }
        assert(place.rows.distinct === place.rows, "a row is there twice")
        new Compacting(place, "batch-2").compact()
        assert(place.rows === Rows)
      }
    }

    test(s"an overwrite at ${step.name} of a compaction replaces all rows or cancels the compaction") {
      withThree { place =>
        val faults = ReplacementsSuite.once(step)(place.overwrite("batch-2", Faults.none, "new"))
        new Compacting(place, "batch-1", faults).compact()
        assert(place.rows === Vector("new"))
        new Compacting(place, "batch-3").compact()
        assert(place.rows === Vector("new"))
      }
    }

    test(s"only one of two compactions of the same files, overlapping at ${step.name}, takes effect") {
      withThree { place =>
        val other = new Compacting(place, "batch-2")
        new Compacting(place, "batch-1", ReplacementsSuite.once(step)(other.compact())).compact()
        assert(place.rows === Rows && place.names.sizeIs == 2)
      }
    }
  }

  test("a compaction that cannot hide a file is cancelled without blocking the next job") {
    withThree { place =>
      val job = new Compacting(place, "batch-1", hiding = ReplacementsSuite.refusing("b/2.txt"))
      assert(!job.compact())
      assert(place.names === Set("b/1.txt", "b/2.txt", "b/3.txt"))
      assert(new Compacting(place, "batch-2").compact())
      assert(place.rows === Rows && place.names.sizeIs == 2)
    }
  }

  test("a compaction skips changed files and files that a query may compact") {
    withThree { place =>
      val changed = new Compacting(
        place,
        "batch-1",
        ReplacementsSuite.once(Step.BeforeCompact) {
          Files.delete(place.root.resolve("b/1.txt"))
        }
      )
      assert(!changed.compact())
      place.plant("b/1.txt", "one")
      query(place, small = Vector(FinishedPart("b", "2.txt", 4, 1, 0)))
      assert(!new Compacting(place, "batch-2").compact())
      assert(place.names === Set("b/1.txt", "b/2.txt", "b/3.txt"))
    }
  }

  test("jobs are rejected during a rewind, and overwrites during a query's compaction") {
    withThree { place =>
      query(place, settings = Rewind.noted)
      assert(Samples.condition(new Compacting(place, "batch-1").compact()) === "STOPLOG_PATH_NOT_WRITABLE")
      assert(
        Samples.condition(place.overwrite("batch-2", Faults.none, "new")) === "STOPLOG_PATH_NOT_WRITABLE"
      )
      query(place, settings = CompactingRun.noted, small = Vector(FinishedPart("b", "2.txt", 4, 1, 0)))
      assert(
        Samples.condition(place.overwrite("batch-3", Faults.none, "new")) === "STOPLOG_PATH_NOT_WRITABLE"
      )
      assert(!place.filesOf("batch-3").contains("replaces"))
      query(place, settings = CompactingRun.noted)
      place.overwrite("batch-4", Faults.none, "new")
      assert(place.rows === Vector("new"))
    }
  }

  test("the next job restores a file that a slow process hid for a cancelled compaction") {
    withThree { place =>
      val refused = ReplacementsSuite.refusing("b/2.txt")
      new Compacting(place, "batch-1", hiding = refused).compact()
      place
        .logs()
        .replacing("batch-1", RecordKind.Compact)
        .finished
        .hide(0, "b/1.txt") // by a process that slept
      place.append("batch-2", Faults.none, "c" -> "four")
      place.overwriteNothing()
      assert(place.rows === (Rows :+ "four").sorted)
    }
  }

  test("a failed compaction withdraws its announcement and does not block other jobs") {
    withThree { place =>
      query(place, settings = Rewind.noted)
      val job = new Compacting(place, "batch-1")
      assert(Samples.condition(job.compact()) === "STOPLOG_PATH_NOT_WRITABLE")
      job.abort()
      assert(!place.filesOf("batch-1").contains("replaces"))
      query(place)
      place.append("batch-2", Faults.none, "c" -> "four")
      assert(!place.hasLeft("batch-2"))
    }
  }

  test("a compaction stays announced after replacing files") {
    withThree { place =>
      val tools = DriverTools(
        Clock.system,
        Faults.none,
        DriverLock.semaphore(),
        Parallel.sequential,
        StorageRetry.never
      )
      var seen   = Option.empty[String]
      val faults = ReplacementsSuite.once(Step.AfterTrim) {
        seen = ReplacingJobs.of(place.logs(), tools).underWay
      }
      new Compacting(place, "batch-1", faults).compact()
      assert(seen === Some("batch-1"))
    }
  }

  private def withThree(body: JobFixture => Unit): Unit = within { place =>
    Seq("one", "two", "three").zipWithIndex.foreach { case (row, n) => place.plant(s"b/${n + 1}.txt", row) }
    body(place)
  }

  /** The newest record of a sink under the path. */
  private def query(
      place: JobFixture,
      settings: Map[String, String] = Map.empty,
      small: Vector[FinishedPart] = Vector.empty
  ): Unit = {
    val log    = place.log("main")
    val seq    = log.newest().fold(0L)(_.seq + 1)
    val noted  = settings + (SinkSettings.ContentKey -> "lines")
    val state  = SinkState(QueryEpoch("query", Some(0)), Vector.empty, nextPart = 0, noted, small = small)
    val record = LogRecord(seq, RecordKind.Claim, Samples.mine, 0, Vector.empty, state)
    log.append(record): Unit
  }
}

private object CompactionJobSuite {
  val Rows: Vector[String] = Vector("one", "three", "two")

  /** A job that compacts the first two files, if they are there. */
  final class Compacting(
      place: JobFixture,
      name: String,
      faults: Faults = Faults.none,
      hiding: FileStore => FileStore = identity
  ) {
    private val run  = RunId.random()
    private val logs = place.logs(faults, hiding)
    private val own  = logs.storesOf(name)
    private val job  = new CompactionJob(
      run,
      SinkIdentity(place.root.toString, name, name),
      own,
      new JobDirectory(own.files, name),
      logs,
      DriverTools(Clock.system, faults, DriverLock.semaphore(), Parallel.sequential, StorageRetry.never)
    )

    /** Returns whether it has compacted them. */
    def compact(): Boolean = {
      job.recover()
      job.begin()
      val inputs = Vector("1.txt", "2.txt").filter(file => place.names(s"b/$file"))
      val done   = inputs.sizeIs == 2 && {
        val merge = this.merge(inputs)
        job.replace(merge, written(merge))
      }
      job.end()
      done
    }

    def abort(): Unit = job.abort()

    private def merge(inputs: Vector[String]): CompactionTask = CompactionTask(
      inputs.map(file => FinishedPart("b", file, Files.size(place.root.resolve(s"b/$file")), 1, -1)),
      NewPart("b", s"part-${run.uid}-m0.txt", run)
    )

    private def written(merge: CompactionTask): CompactedPart = {
      val bytes = merge.inputs.flatMap(part => Files.readAllBytes(place.root.resolve(part.path))).toArray
      val out   = own.parts.create(merge.part)
      out.write(bytes, 0, bytes.length)
      CompactedPart(out.finish(), bytes.length.toLong)
    }
  }
}
