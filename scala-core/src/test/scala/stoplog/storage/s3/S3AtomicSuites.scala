// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.util.concurrent.{CompletableFuture, CountDownLatch}
import java.util.concurrent.TimeUnit.SECONDS

import scala.util.Try

import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.commit._
import stoplog.fault.Faults
import stoplog.laws._
import stoplog.log.CommitLog
import stoplog.part.{PartNaming, RunId}
import stoplog.plan.Attempt
import stoplog.rolling.RollReason
import stoplog.servers.{Fault, FaultProxy, FaultRule, S3Call, S3Server}
import stoplog.thread.{Clock, Parallel}
import stoplog.writing.TaskWriters

class S3AtomicFilesSuite extends FileStoreLaws with S3AtomicLaws

class S3AtomicPartStoreSuite extends PartStoreLaws with S3AtomicLaws

/** The laws that S3Mock itself does not keep, because it writes in several steps. */
trait S3AtomicLaws extends LawSuite {
  import S3AtomicLaws._

  override def newStorage(): StorageUnderTest =
    S3UnderTest.create(S3UnderTest.tails, S3Bucket(proxy.endpoint, "stoplog-atomic"))

  override protected def law(name: String)(body: StorageUnderTest => Unit): Unit =
    if (S3Laws.inSteps.filter(_ != OfProcesses || LongRun.isOn).exists(name.startsWith)) super.law(name)(body)
}

private object S3AtomicLaws {

  /** Starts JVMs. */
  private val OfProcesses = "of two processes exactly one"

  /** One for all suites of this JVM, as the server behind it, and as Hadoop's client of the bucket. */
  private lazy val proxy = FaultProxy.before(S3Server.sharedS3Mock.endpoint)
}

/** A driver decides on a merge, and sleeps when it has read the first input and not yet written its copy. Its successor
  * carries the merge out and merges the merged part again. The server forgets completed uploads, as MinIO does and Amazon
  * S3 may.
  */
class S3LateCopySuite extends AnyFunSuite with BeforeAndAfterAll {
  private lazy val proxy = FaultProxy.before(S3Server.sharedS3Mock.endpoint)

  override protected def afterAll(): Unit = proxy.close()

  test("a driver that resumes in the middle of a move restores no rows") {
    val quick  = S3UnderTest.create(S3Settings())
    val slow   = quick.through(S3Bucket(proxy.endpoint, S3Server.Bucket, OfSleeper))
    val asleep = new CountDownLatch(1)
    val wake   = new CountDownLatch(1)
    try {
      val late = new Run(slow, Samples.mine)
      (0 to 1).foreach(n => late.epoch(n, s"row$n"))
      proxy.inject(
        FaultRule.forgetsCompletedUploads,
        (request, _, _) => {
          if (
            request.call == S3Call.PutObject && request.target.contains("/replaced/") && asleep.getCount > 0
          ) {
            asleep.countDown()
            wake.await()
          }
          // as the server would answer, which another client has told to complete it
          Option.when(request.call == S3Call.CompleteMultipartUpload && wake.getCount == 0)(
            Fault.NoSuchUpload
          )
        }
      )
      val ticks = CompletableFuture.runAsync(
        () => (1 to 3).foreach(_ => late.driver.tick()),
        (task: Runnable) => new Thread(task).start()
      )
      assert(asleep.await(120, SECONDS), "it merges")
      val next   = new Run(quick, Samples.other)
      val merged = s"part-${Samples.mine.uid}-m0"
      next.epoch(2, "row2")
      assert(quick.visible().exists(_.contains(merged)), "its successor carries its merge out")
      var epochs = 3
      while (quick.visible().exists(_.contains(merged)) && epochs < 20) {
        next.epoch(epochs, s"row$epochs")
        (1 to 2).foreach(_ => next.driver.tick())
        epochs += 1
      }
      assert(epochs < 20, "the merged part is merged again")
      wake.countDown()
      Try(ticks.get(120, SECONDS))
      assert(ticks.isDone)
      assert(rows(quick) === (0 until epochs).map(n => s"row$n").sorted.toVector)
    } finally wake.countDown()
  }

  private def rows(storage: S3UnderTest): Vector[String] = storage
    .visible()
    .toVector
    .flatMap(file => new String(storage.bytes(file)).linesIterator)
    .filter(_ != "#")
    .sorted

  // Hadoop keeps one client for a bucket, whatever its settings.
  private val OfSleeper =
    Map(
      "fs.s3a.impl.disable.cache"         -> "true",
      "fs.s3a.connection.request.timeout" -> "600s",
      "fs.s3a.connection.timeout"         -> "600s"
    )

  private final class Run(storage: S3UnderTest, run: RunId) {
    private val policy     = Rolls(onEpochEnd = _ => Some(RollReason.Checkpoint)).policy
    private val parts      = storage.partStore()
    private val spoolFiles = storage.spoolFiles()
    private val finished   = storage.replacedFiles()

    val driver: SinkDriver = SinkDriver.ofParts(
      run,
      Samples.identity,
      Samples.settings,
      SinkStores.of(new CommitLog(storage.logFiles()), parts, spoolFiles, finished),
      () => Lines,
      DriverRules(
        policy,
        MemoryNotes.unasked,
        ForeignQuery.Refuse,
        LostPart.Fail,
        compaction = new SmallParts(
          run,
          SmallParts.Choice(
            CompactionPolicy(smallerThanBytes = 30, targetBytes = 60, afterEpochs = 1, minFiles = 2),
            PartNaming("part", ".txt"),
            _ => true
          ),
          merge => {
            val bytes = merge.inputs.flatMap(part => storage.bytes(part.path)).toArray
            val out   = parts.create(merge.part)
            out.write(bytes, 0, bytes.length)
            val done = CompactedPart(out.finish(), bytes.length.toLong)
            new RunningCompaction {
              override def result: Option[Either[Throwable, CompactedPart]] = Some(Right(done))
              override def await(): Unit                                    = ()
            }
          },
          finished,
          () => true,
          Clock.system,
          Faults.none
        )
      ),
      DriverTools(Clock.system, Faults.none, DriverLock.semaphore(), Parallel.sequential, StorageRetry.never)
    )

    def epoch(number: Int, row: String): Unit = {
      val plan = driver.begin(number.toLong, slots = 1)
      val task =
        TaskWriters.of(plan.forTask(0, Attempt.First), parts, Lines, policy, Clock.system, spoolFiles)
      task.write("b", row)
      driver.commit(number.toLong, Seq(task.commit()))
    }
  }
}
