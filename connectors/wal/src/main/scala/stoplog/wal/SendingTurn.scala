// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import org.apache.spark.{SparkEnv, TaskContext}

import stoplog.thread.StopSignal

/** Permits only one attempt of a sending task to send at a time.
  *
  * With `spark.speculation`, Spark may start another attempt of a task that is merely slow. The new attempt
  * waits here. If the first attempt succeeds, Spark ends the waiting attempt. If the first attempt fails or
  * its executor is lost, Spark's output commit coordinator grants the turn to the next attempt that requests
  * it.
  */
private[wal] object SendingTurn {

  /** Returns when this thread's task may send. Throws `InterruptedException` when Spark ends the attempt,
    * because another attempt has sent the chunk, or because the query was stopped.
    */
  def await(): Unit = {
    val task = TaskContext.get()
    import task._
    await(
      SparkEnv.get.outputCommitCoordinator
        .canCommit(stageId(), stageAttemptNumber(), partitionId(), attemptNumber())
    )(StopSignal.ofThisThread.pause(PauseMillis))
  }

  /** Waits until the turn is granted.
    *
    * @param request requests the turn; must not be called again after `true`
    */
  private[wal] def await(request: => Boolean)(pause: => Unit): Unit = while (!request) pause

  // A chunk whose duration justifies a second attempt takes longer than this pause.
  private final val PauseMillis = 1000L
}
