// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.util.concurrent.{CompletableFuture, CountDownLatch, ExecutionException}
import java.util.concurrent.TimeUnit.SECONDS

import stoplog.error.StoplogException
import stoplog.fault.{Faults, Step}
import stoplog.laws.{LawSuite, StorageUnderTest}
import stoplog.log.CommitLog
import stoplog.part.{PartNaming, RunId}
import stoplog.plan.Attempt
import stoplog.rolling.RollReason
import stoplog.thread.{Clock, Parallel}
import stoplog.writing.TaskWriters

/** A driver sleeps in the middle of its commit. Its successor carries the record out, and then the part is taken away: by a
  * reader, or by a merge. The sleeper wakes.
  */
abstract class SleepingDriverLaws extends LawSuite {
  import SleepingDriverLaws._

  for (step <- Seq(Step.AfterRecord, Step.PartPublished)) {
    law(
      s"asleep at ${step.name}, its part taken by a reader: it does not come back, nor is the epoch said to be committed"
    ) { storage =>
      val sleeper = new Sleeper(step)
      val late    = committing(storage, sleeper, Vector("row0"))
      sleeper.awaitAsleep()
      val next = driver(storage, Samples.other, Faults.none)
      epoch(storage, next, 1, Vector("row1"))
      assert(rows(storage) === Vector("row0", "row1"))
      storage.visible().filter(_.contains(Samples.mine.uid)).foreach { path =>
        storage.replacedFiles().hide(1000, path)
      }
      storage.replacedFiles().purge(1000)
      sleeper.wake()
      assert(outcome(late) === "STOPLOG_FENCED")
      assert(rows(storage) === Vector("row1"))
    }

    law(s"asleep at ${step.name}, its part merged by its successor: each row once") { storage =>
      val sleeper = new Sleeper(step)
      val late    = committing(storage, sleeper, Vector("row0", "row1"))
      sleeper.awaitAsleep()
      val next = driver(storage, Samples.other, Faults.none)
      (1 to 3).foreach { number =>
        epoch(storage, next, number.toLong, Vector(s"row${number + 1}"))
        (1 to 2).foreach(_ => next.tick())
      }
      assert(storage.visible().exists(_.contains("-m")), "there was a merge")
      sleeper.wake()
      assert(outcome(late) === "STOPLOG_FENCED")
      assert(rows(storage) === Vector("row0", "row1", "row2", "row3", "row4"))
    }
  }

  private def committing(
      storage: StorageUnderTest,
      faults: Sleeper,
      content: Vector[String]
  ): CompletableFuture[Void] = {
    val sleepy = driver(storage, Samples.mine, faults)
    CompletableFuture.runAsync(() => epoch(storage, sleepy, 0, content), task => new Thread(task).start())
  }

  private def outcome(future: CompletableFuture[Void]): String =
    try {
      future.get(120, SECONDS)
      "committed"
    } catch {
      case e: ExecutionException =>
        e.getCause match {
          case named: StoplogException => named.getCondition
          case other                   => throw other
        }
    }

  /** @param faults of a sleeper, by whose clock more than a nap has passed when it wakes */
  private def driver(storage: StorageUnderTest, run: RunId, faults: Faults): SinkDriver = SinkDriver.ofParts(
    run,
    Samples.identity,
    Samples.settings,
    SinkStores.of(
      new CommitLog(storage.logFiles()),
      storage.partStore(),
      storage.spoolFiles(),
      storage.replacedFiles()
    ),
    () => Lines,
    DriverRules(
      policy,
      MemoryNotes.unasked,
      ForeignQuery.Refuse,
      LostPart.Fail,
      compaction = new SmallParts(
        run,
        SmallParts.Choice(CompactionPolicy(1 << 20, 4 << 20, 1, 2), PartNaming("part", ".txt"), _ => true),
        runner(storage),
        storage.replacedFiles(),
        () => true,
        Clock.system,
        faults
      )
    ),
    DriverTools(clockOf(faults), faults, DriverLock.semaphore(), Parallel.sequential, StorageRetry.never)
  )

  private def epoch(
      storage: StorageUnderTest,
      driver: SinkDriver,
      number: Long,
      content: Vector[String]
  ): Unit = {
    val plan   = driver.begin(number, slots = 1)
    val writer = TaskWriters.of(
      plan.forTask(0, Attempt.First),
      storage.partStore(),
      Lines,
      policy,
      Clock.system,
      storage.spoolFiles()
    )
    content.foreach(writer.write("b", _))
    driver.commit(number, Seq(writer.commit()))
  }

  private def runner(storage: StorageUnderTest): CompactionRunner = { merge =>
    val bytes = merge.inputs.flatMap(part => storage.bytes(part.path)).toArray
    val out   = storage.partStore().create(merge.part)
    out.write(bytes, 0, bytes.length)
    val done = CompactedPart(out.finish(), bytes.length.toLong)
    new RunningCompaction {
      override def result: Option[Either[Throwable, CompactedPart]] = Some(Right(done))
      override def await(): Unit                                    = ()
    }
  }

  private def clockOf(faults: Faults): Clock = faults match {
    case sleeper: Sleeper => sleeper.clock
    case _                => Clock.system
  }

  private def rows(storage: StorageUnderTest): Vector[String] =
    storage.visible().toVector.flatMap(text(storage, _).linesIterator).filter(_ != "#").sorted
}

private object SleepingDriverLaws {
  private val policy = Rolls(onEpochEnd = _ => Some(RollReason.Checkpoint)).policy

  /** Sleeps once. */
  final class Sleeper(step: Step) extends Faults {
    @transient private val asleep = new CountDownLatch(1)
    @transient private val go     = new CountDownLatch(1)
    @transient val clock          = new ManualClock(System.currentTimeMillis())

    override def at(now: Step): Unit = if (now == step) {
      asleep.countDown()
      go.await()
    }

    def awaitAsleep(): Unit = assert(asleep.await(120, SECONDS))
    def wake(): Unit        = {
      clock.advance(6000)
      go.countDown()
    }
  }
}
