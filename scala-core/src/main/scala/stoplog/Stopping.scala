// SPDX-License-Identifier: Apache-2.0
package stoplog

import java.util.UUID

import scala.util.control.NonFatal

import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryProgress}

import stoplog.commit.Finish
import stoplog.engine.LedgerRun
import stoplog.error.Log
import stoplog.spark.RunEnds
import stoplog.thread.{Daemons, SinkTimer}

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
  def hold(): Option[LedgerRun[_]] = {
    val found = RunEnds.running(runId)
    found.foreach(_.stopAtNextEpoch(finish))
    found
  }

  /** The sink is held before anything is looked at: an epoch that began after the look would be interrupted. */
  private def isBetweenBatches: Boolean = {
    val held = hold()
    !query.isActive || !query.status.isTriggerActive || held.fold(finishedBatch != begunAt)(_.isHeld)
  }

  private def finish: Option[Finish] = open match {
    case OpenAtStop.Finalize     => Some(Finish.PublishOpen)
    case OpenAtStop.AsConfigured => None
  }

  private def finishedBatch: Option[(UUID, Long)] =
    Option(query.lastProgress).map((progress: StreamingQueryProgress) => progress.runId -> progress.batchId)

  private final val LookMillis = 20L
}

/** Looks for a file that asks for a query to be stopped. */
private[stoplog] object StopMarker {

  def watch(
      name: String,
      isActive: () => Boolean,
      isThere: () => Boolean,
      remove: () => Unit,
      stop: () => Unit,
      everyMillis: Long
  ): AutoCloseable = {
    val watched = SinkTimer.every(everyMillis) {
      if (!isActive()) SinkTimer.Stop
      else if (looked(name, isThere)) {
        // Not on the clock's threads, which all sinks share: it may take as long as a micro-batch.
        val thread = Daemons.named("stoplog-stop").newThread { () =>
          stop()
          remove()
        }
        thread.start()
        SinkTimer.Stop
      } else SinkTimer.Again
    }
    () => { watched.cancel(false); () }
  }

  private def looked(name: String, isThere: () => Boolean): Boolean =
    try isThere()
    catch {
      case NonFatal(e) =>
        Log.warn(s"Whether there is $name, which asks for a stop, could not be seen; it is tried again", e)
        false
    }
}
