// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import org.apache.spark.{SparkEnv, TaskContext}

/** Lets one attempt of a sending task send at a time.
  *
  * With `spark.speculation` Spark may start another attempt of a task that is only slow. That attempt waits here. If the
  * first attempt succeeds, Spark ends the one that waits. If the first attempt fails or its executor is lost, Spark's
  * coordinator of commits gives the turn to the next attempt that requests it.
  */
private[wal] object SendingTurn {

  /** Returns when the task of this thread may send. Throws `InterruptedException` when Spark ends the attempt. */
  def await(): Unit = {
    val task = TaskContext.get()
    import task._
    await(
      SparkEnv.get.outputCommitCoordinator
        .canCommit(stageId(), stageAttemptNumber(), partitionId(), attemptNumber())
    ) {
      Thread.sleep(PauseMillis)
      if (isInterrupted()) throw new InterruptedException("another attempt has sent the chunk")
    }
  }

  /** @param request asks for the turn; must not be called again once it has returned true */
  private[wal] def await(request: => Boolean)(pause: => Unit): Unit = while (!request) pause

  // A chunk that is worth a second attempt takes longer than that.
  private final val PauseMillis = 1000L
}
