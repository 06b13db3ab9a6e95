// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.JobCommit.Replacing
import stoplog.commit.JobsUnderTest.JobFixture
import stoplog.fault.Faults
import stoplog.log.{LogRecord, MarkerForm, Totals}
import stoplog.part.RunId
import stoplog.plan.Attempt
import stoplog.rolling.OnCheckpointRollingPolicy
import stoplog.storage.VisibleFiles.Scope
import stoplog.thread.Parallel
import stoplog.writing.TaskWriters

/** The markers of a stream whose files jobs replace or delete before a bucket is complete. */
class ReplacedBucketsSuite extends AnyFunSuite {

  private val End = Long.MaxValue

  /** A stream on a local disk that closes each part with its epoch, and completes buckets by watermark. */
  private final class Stream(jobs: JobFixture) {
    private val stores = jobs.logs().storesOf("main")
    private val policy = OnCheckpointRollingPolicy()
    private val driver = SinkDriver.ofParts(
      RunId.random(),
      SinkIdentity(jobs.root.toString, "main", "query"),
      SinkSettings(Map("timeZone" -> "UTC"), "lines"),
      stores,
      () => Lines,
      DriverRules(
        policy,
        FollowUps(
          "main",
          CompleteRule.ByWatermark(0, _ => Some(End)),
          MarkerForm.Json,
          Manifests.Off,
          stores.files
        ),
        ForeignQuery.Refuse,
        LostPart.Fail
      ),
      DriverTools(
        jobs.clock,
        Faults.none,
        DriverLock.semaphore(),
        Parallel.sequential,
        StorageRetry.never
      )
    )

    def epoch(number: Long, buckets: String*): Unit = {
      val plan   = driver.begin(number, slots = 1)
      val task   = plan.forTask(0, Attempt.First)
      val lease  = stores.parts.enter(plan.run)
      val writer = TaskWriters.of(task, stores.parts, Lines, policy, jobs.clock, stores.spoolFiles)
      try {
        buckets.foreach(bucket => writer.write(bucket, s"row of $bucket"))
        driver.commit(number, Seq(writer.commit()))
      } finally lease.close()
    }

    def reachesEnd(): Unit = driver.reached(End)

    /** All buckets are complete. */
    def complete(): Unit = {
      reachesEnd()
      driver.tick(): Unit
    }

    def newest: LogRecord = stores.log.newest().get

    /** The totals of the newest marker. */
    def total(bucket: String): Option[Totals] = {
      val version = Markers.newestVersion(stores.files, bucket)
      Option.when(version > 0) {
        val name = if (version == 1) "_SUCCESS" else s"_SUCCESS.$version"
        Markers.content(stores.files.read(s"$bucket/$name").get).get.total
      }
    }
  }

  private def delete(jobs: JobFixture, bucket: String): Unit =
    jobs.job("batch-1").commit(Nil, Replacing.Within(Scope.Directories(Vector(bucket)))): Unit

  test("a bucket whose files a job has deleted gets no marker, and no announcement") {
    JobsUnderTest.within { jobs =>
      val stream = new Stream(jobs)
      stream.epoch(0, "a", "b")
      delete(jobs, "a")
      stream.complete()
      assert(stream.total("a") === None)
      assert(stream.total("b").map(_.rows) === Some(1L))
      assert(stream.newest.follow.markers.map(_.bucket) === Vector("b"))
      assert(stream.newest.state.live.isEmpty)
    }
  }

  test("a marker counts only rows that were published after a job had deleted the files") {
    JobsUnderTest.within { jobs =>
      val stream = new Stream(jobs)
      stream.epoch(0, "a", "a", "a")
      delete(jobs, "a")
      stream.reachesEnd()
      stream.epoch(1, "a")
      assert(stream.total("a").map(_.rows) === Some(1L))
    }
  }

  test("a marker of a job that has replaced the files stays the newest marker") {
    JobsUnderTest.within { jobs =>
      val stream = new Stream(jobs)
      stream.epoch(0, "a")
      delete(jobs, "a")
      jobs.plant("a/part-6f1c2f3e8a4b-r0.txt", "row of the job")
      stream.complete()
      assert(stream.newest.follow.markers.isEmpty)
    }
  }

  test("a bucket whose files a reader has taken gets its marker, also after a job for another bucket") {
    JobsUnderTest.within { jobs =>
      val stream = new Stream(jobs)
      stream.epoch(0, "a", "b")
      delete(jobs, "b")
      jobs.take("a")
      stream.complete()
      assert(stream.total("a").map(_.rows) === Some(1L))
    }
  }
}
