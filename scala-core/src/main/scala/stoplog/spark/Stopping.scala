// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.UUID

import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryProgress}

import stoplog.{OpenAtStop, Stopped}

/** One attempt to stop a query between two micro-batches. */
private[stoplog] final class Stopping(query: StreamingQuery, open: OpenAtStop) {
  private val runId   = query.runId.toString
  private val begunAt = finishedBatch

  def within(timeoutMillis: Long): Stopped = {
    val deadline = System.nanoTime() + timeoutMillis * 1000000
    def left     = ((deadline - System.nanoTime()) / 1000000).max(0L)
    while (!isBetweenBatches && left > 0) Thread.sleep(LookMillis.min(left))
    val between = isBetweenBatches
    val ours    = hold().isDefined
    query.stop()
    if (ours && !RunEnds.await(runId, left)) Stopped.Ending
    else if (between) Stopped.BetweenBatches
    else Stopped.InBatch
  }

  /** The sink, which begins no other epoch from now on. It may be known only once the first epoch has begun. */
  def hold(): Option[SinkRun] = {
    val found = RunEnds.running(runId)
    found.foreach(_.stopAtNextEpoch(open))
    found
  }

  /** The sink is held before anything is looked at: an epoch that began after the look would be interrupted. */
  private def isBetweenBatches: Boolean = {
    val held = hold()
    !query.isActive || !query.status.isTriggerActive || held.fold(finishedBatch != begunAt)(_.isHeld)
  }

  private def finishedBatch: Option[(UUID, Long)] =
    Option(query.lastProgress).map((progress: StreamingQueryProgress) => progress.runId -> progress.batchId)

  private final val LookMillis = 20L
}
