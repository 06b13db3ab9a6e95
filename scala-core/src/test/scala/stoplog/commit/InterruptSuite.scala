// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.util.concurrent.{CompletableFuture, CountDownLatch}
import java.util.concurrent.TimeUnit.SECONDS

import org.scalatest.funsuite.AnyFunSuite

import stoplog.thread.Parallel
import stoplog.fault.Faults

import stoplog.log.RecordKind
import stoplog.rolling.RollReason
import stoplog.storage.{JobDirectory, NoFiles, PutOutcome}

/** `query.stop()` interrupts the thread that commits: what has been decided is carried out all the same.
  *
  * The storage of these tests is a server: an interrupt breaks a request off, whose outcome is then unknown.
  */
class InterruptSuite extends AnyFunSuite {
  private val closing = Rolls(onEpochEnd = _ => Some(RollReason.Checkpoint)).policy

  for (parts <- Seq(1, 2, 5)) {
    test(s"writes the record and publishes $parts parts despite an interrupt during the record") {
      val world   = new DriverWorld(closing)
      val request = new Request
      world.records.beforePut = seq => if (seq > 0) request.sent()
      committed(world, parts, request)
    }

    test(s"publishes $parts parts despite an interrupt during publishing") {
      val world   = new DriverWorld(closing)
      val request = new Request
      world.parts.onPublish = _ => request.sent()
      committed(world, parts, request)
    }
  }

  test("republishes the previous run's parts and starts despite an interrupt, and keeps the interrupt") {
    val world = new DriverWorld(closing)
    world.parts.onPublish = _ => throw new IllegalStateException("killed")
    intercept[IllegalStateException](world.epoch(world.driver(), 0, "a"))
    val request = new Request
    world.parts.onPublish = _ => request.sent()
    val driver = world.driver(Samples.other, parallel = Parallel.bounded(4))
    interrupted(request)(driver.begin(1, slots = 1))
    assert(world.rows === Vector("row of a") && world.newest.kind === RecordKind.Claim)
  }

  test("a batch job completes despite an interrupt during publishing") {
    val world   = new DriverWorld(closing)
    val request = new Request
    val job     = new MemoryJob
    world.parts.onPublish = _ => request.sent()
    val commit = new JobCommit(
      Samples.mine,
      Samples.identity,
      SinkStores.of(world.log, world.parts),
      job,
      new TestPathLogs("sink", new MemoryNotes, _ => SinkStores.of(world.log, world.parts)),
      DriverTools(
        world.clock,
        Faults.none,
        DriverLock.semaphore(),
        Parallel.bounded(4),
        StorageRetry.never
      ),
      JobCommit.Rules(MemoryNotes.unasked)
    )
    val done = Seq(world.task(commit.begin(slots = 1), 0, "a", "b"))
    interrupted(request)(commit.commit(done, JobCommit.Replacing.Nothing))
    assert(world.rows === Vector("row of a", "row of b") && job.removed)
  }

  private def committed(world: DriverWorld, parts: Int, request: Request): Unit = {
    val driver  = world.driver(parallel = Parallel.bounded(4))
    val plan    = driver.begin(0, slots = 1)
    val buckets = (1 to parts).map(n => s"b$n")
    val done    = Seq(world.task(plan, 0, buckets: _*))
    interrupted(request)(driver.commit(0, done))
    assert(world.newest.kind === RecordKind.Epoch(0))
    assert(world.records.putIfAbsent(world.newest.seq, Array.empty[Byte]) === PutOutcome.Taken)
    assert(world.rows === buckets.map(bucket => s"row of $bucket").toVector)
    assert(driver.stats.published.files === parts)
    assert(driver.tick(), "the run goes on")
  }

  /** Interrupts the action while a request is under way, which is answered only then. The interrupt is kept. */
  private def interrupted(request: Request)(action: => Any): Unit = {
    val kept      = new CompletableFuture[Boolean]()
    val committer = new Thread(() =>
      try {
        action
        kept.complete(Thread.currentThread().isInterrupted)
        ()
      } catch { case e: Throwable => kept.completeExceptionally(e); () }
    )
    committer.start()
    request.awaitSent()
    committer.interrupt()
    request.answer()
    assert(kept.get(300, SECONDS))
  }

  /** What an interrupt of its thread breaks off. */
  private final class Request {
    private val begun    = new CountDownLatch(1)
    private val answered = new CountDownLatch(1)

    def sent(): Unit = {
      begun.countDown()
      answered.await()
    }

    def awaitSent(): Unit = assert(begun.await(300, SECONDS))

    def answer(): Unit = answered.countDown()
  }

  private final class MemoryJob extends JobDirectory(NoFiles, "main") {
    @volatile var removed = false

    override def deleteEmptied(directories: Seq[String]): Unit = ()
    override def delete(faults: Faults): Unit                  = removed = true
    override def untouchedSince(millis: Long): Boolean         = false
  }
}
