// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import org.apache.spark.{SparkEnv, TaskContext}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.format.SparkSessionForTests

/** One attempt of a sending task at a time. With attempts that Spark starts: `tests/e2e/test_wal.py`. */
class SendingTurnSuite extends AnyFunSuite with SparkSessionForTests {

  test("an attempt waits for its permit and sends no requests afterwards") {
    for (denials <- 0 to 2) {
      var requests = 0
      var pauses   = 0
      SendingTurn.await { requests += 1; requests > denials }(pauses += 1)
      assert(requests === denials + 1)
      assert(pauses === denials)
    }
  }

  test("an interrupted attempt does not send while waiting") {
    intercept[InterruptedException](SendingTurn.await(false)(throw new InterruptedException))
  }

  test("an attempt with the permit excludes every other attempt of the task") {
    val denied = spark.sparkContext
      .parallelize(Seq(1), 1)
      .map { _ =>
        SendingTurn.await()
        val task = TaskContext.get()
        SparkEnv.get.outputCommitCoordinator
          .canCommit(task.stageId(), task.stageAttemptNumber(), task.partitionId(), task.attemptNumber() + 1)
      }
      .collect()
    assert(denied.toSeq === Seq(false))
  }
}
