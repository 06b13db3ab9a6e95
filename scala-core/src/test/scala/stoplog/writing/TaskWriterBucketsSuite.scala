// SPDX-License-Identifier: Apache-2.0
package stoplog.writing

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.commit.{Lines, ManualClock, MemoryParts, MemorySpoolFiles}
import stoplog.plan.{Attempt, TaskPlan, TaskResult}
import stoplog.rolling.DefaultRollingPolicy

/** Which part gets a row, whatever the names and the order of the buckets. */
class TaskWriterBucketsSuite extends AnyFunSuite {

  private def written(buckets: Seq[String]): TaskResult = {
    val writer = TaskWriters.of(
      TaskPlan(mine, 5, 0, Attempt.First, Vector.empty, firstPart = 1, stride = 1),
      new MemoryParts,
      Lines,
      DefaultRollingPolicy().withMaxRecordsPerPart(2),
      new ManualClock(1000),
      new MemorySpoolFiles
    )
    buckets.zipWithIndex.foreach { case (bucket, n) => writer.write(bucket, s"row $n") }
    writer.commit()
  }

  private def recordsByBucket(result: TaskResult): Map[String, Long] =
    (result.open.map(part => part.bucket -> part.records) ++
      result.closed.map(part => part.bucket -> part.records)).groupMapReduce(_._1)(_._2)(_ + _)

  test("a bucket may have any name, also as the first one") {
    for (name <- Seq("", "none", "null", "b")) {
      val names = Seq.fill(5)(new String(name))
      assert(recordsByBucket(written(names)) === Map(name -> 5L))
    }
  }

  test("each row is in a part of its bucket, in every order of buckets and full parts") {
    for (seed <- 1 to 300) {
      val random  = new Random(seed)
      val buckets = Seq.fill(1 + random.nextInt(20))(Seq("", "none", "a", "b")(random.nextInt(4)))
      val wanted  = buckets.groupMapReduce(bucket => bucket)(_ => 1L)(_ + _)
      assert(recordsByBucket(written(buckets)) === wanted, s"seed $seed: $buckets")
    }
  }
}
