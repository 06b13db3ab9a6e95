// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import scala.concurrent.{Await, TimeoutException}
import scala.concurrent.duration._
import scala.reflect.ClassTag

import org.apache.spark.{FutureAction, SparkContext}
import org.apache.spark.rdd.RDD

import stoplog.thread.{Clock, StopSignal}

/** A Spark job that ends its waits if the query is stopped.
  *
  * Spark cancels all other jobs of a query at the stop, and interrupts their threads. A sending task is not
  * interrupted: a request in flight would have an unknown outcome. The cancelled task learns from its context
  * that no caller waits for the result, and ends the next pause. The job returns after its task has ended, so
  * that the next start does not send the same chunk at the same time.
  */
private[wal] object SendingJob {

  /** Returns the results. Error: `InterruptedException` if the query is stopped before the tasks end. */
  def run[A: ClassTag](rows: RDD[A], stop: StopSignal): Seq[A] = {
    val job     = rows.collectAsync()
    val delayed = StopSignal.delayed(stop, GraceMillis, () => Clock.system.elapsedMillis())
    try {
      delayed.waitUntil(Long.MaxValue)(isReadyWithin(job, _))
      Await.result(job, Duration.Inf)
    } catch {
      case e: InterruptedException =>
        job.cancel()
        awaitTasks(rows.sparkContext, job)
        throw e
    }
  }

  private def isReadyWithin(job: FutureAction[_], millis: Long): Boolean =
    try { Await.ready(job, millis.millis); true }
    catch { case _: TimeoutException => false }

  private def awaitTasks(context: SparkContext, job: FutureAction[_]): Unit = {
    val tracker = context.statusTracker
    val stages  = job.jobIds.flatMap(tracker.getJobInfo(_)).flatMap(_.stageIds)
    while (stages.flatMap(tracker.getStageInfo(_)).exists(_.numActiveTasks > 0)) Thread.sleep(LookMillis)
  }

  // Most chunks are sent within this time after the stop.
  private final val GraceMillis = 500L
  private final val LookMillis  = 20L
}
