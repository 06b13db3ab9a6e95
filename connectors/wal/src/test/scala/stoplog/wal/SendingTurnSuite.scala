// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import org.apache.spark.{SparkEnv, TaskContext}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.format.SparkSessionForTests

/** One attempt of a sending task at a time. With attempts that Spark starts: `tests/e2e/test_wal.py`. */
class SendingTurnSuite extends AnyFunSuite with SparkSessionForTests {

  test("an attempt waits until its request is granted, and requests nothing afterwards") {
    for (denials <- 0 to 2) {
      var requests = 0
      var pauses   = 0
      SendingTurn.await { requests += 1; requests > denials }(pauses += 1)
      assert(requests === denials + 1)
      assert(pauses === denials)
    }
  }

  test("an attempt that is ended while it waits does not send") {
    intercept[InterruptedException](SendingTurn.await(false)(throw new InterruptedException))
  }

  test("while an attempt has the turn, every other attempt of the task is denied it") {
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
