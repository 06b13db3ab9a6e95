// SPDX-License-Identifier: Apache-2.0
package stoplog

import java.util.UUID
import java.util.concurrent.TimeUnit

import scala.util.control.NonFatal

import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.hadoop.util.ShutdownHookManager
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryProgress}

import stoplog.commit.Finish
import stoplog.engine.LedgerRun
import stoplog.error.Log
import stoplog.options.SparkHadoop
import stoplog.spark.RunEnds
import stoplog.thread.{Daemons, SinkTimer}

/** Stops queries between two micro-batches, so that no work is discarded.
  *
  * `query.stop()` without this class interrupts the running micro-batch. No rows are lost, because the next
  * start repeats the epoch. However, the work of the micro-batch is wasted, and open parts stay open.
  *
  * {{{
  * val query = sink.writeStream(events).option("checkpointLocation", checkpoint).start()
  * val onTerm = GracefulStop.onShutdown(query, timeoutMillis = 25000)
  * query.awaitTermination()
  * onTerm.close()
  * }}}
  */
object GracefulStop {

  /** Waits for the end of the running micro-batch, stops the query, and waits for the final steps of its
    * sink.
    *
    * A stoplog sink starts no other micro-batch in the meantime. A query with another sink is stopped after
    * the running micro-batch, possibly when the next micro-batch has just started.
    *
    * @param timeoutMillis the total time limit in milliseconds, after which the query is stopped in any state
    * @param open          the handling of open parts. By default the next start resumes the parts, so that a
    *                      deployment does not cut all files
    */
  def afterBatch(
      query: StreamingQuery,
      timeoutMillis: Long,
      open: OpenAtStop = OpenAtStop.AsConfigured
  ): Stopped = new Stopping(query, open).within(timeoutMillis)

  /** Registers a shutdown hook that calls [[afterBatch]] for the query when this JVM terminates, for example
    * after SIGTERM. The hook runs before Spark stops its context. Closing the result removes the hook.
    *
    * @param timeoutMillis less than the grace period before the JVM is killed, which is 30 s in Kubernetes
    */
  def onShutdown(
      query: StreamingQuery,
      timeoutMillis: Long,
      open: OpenAtStop = OpenAtStop.AsConfigured
  ): AutoCloseable = {
    val hook: Runnable = () => if (query.isActive) { afterBatch(query, timeoutMillis, open); () }
    val hooks          = ShutdownHookManager.get()
    // Passes a timeout, because Hadoop's default of 30 s, which limits Spark's hooks, may be too short.
    hooks.addShutdownHook(hook, BeforeSpark, timeoutMillis + SlackMillis, TimeUnit.MILLISECONDS)
    () => if (!hooks.isShutdownInProgress) { hooks.removeShutdownHook(hook); () }
  }

  /** Calls [[afterBatch]] for the query as soon as a marker file exists. After the stop the marker is
    * deleted, so that the next start is not stopped by the same marker. Closing the result ends the checks,
    * and waits for the deletion after a stop: the process may end next.
    *
    * @param marker      a path of any file system known to Spark, outside of the sink's path
    * @param everyMillis the interval between two checks, in milliseconds
    */
  def onMarker(
      query: StreamingQuery,
      marker: String,
      everyMillis: Long,
      timeoutMillis: Long,
      open: OpenAtStop = OpenAtStop.AsConfigured
  ): AutoCloseable = {
    val path  = new Path(marker)
    val watch = new MarkerWatch(query, FileSystem.get(path.toUri, SparkHadoop.configuration), path)
    val timer = SinkTimer.every(everyMillis)(watch.look(timeoutMillis, open))
    () => {
      timer.cancel()
      watch.close(timeoutMillis + SlackMillis)
    }
  }

  /** Higher priorities run first. Spark's hook, which stops the context, runs at file systems' + 30. */
  private final val BeforeSpark = FileSystem.SHUTDOWN_HOOK_PRIORITY + 50

  private final val SlackMillis = 5000L

  /** Stops a query once, as soon as a marker exists. */
  private final class MarkerWatch(query: StreamingQuery, system: FileSystem, marker: Path) {
    private var stopping: Option[Thread] = None
    private var isClosed                 = false

    def look(timeoutMillis: Long, open: OpenAtStop): SinkTimer.Next =
      if (!query.isActive) SinkTimer.Stop
      else if (exists) {
        begin(() => stop(timeoutMillis, open))
        SinkTimer.Stop
      } else SinkTimer.Again

    /** Waits until a started stop ends, and prevents a later stop. */
    def close(timeoutMillis: Long): Unit = {
      val begun = synchronized {
        isClosed = true
        stopping
      }
      begun.foreach(_.join(timeoutMillis))
    }

    private def exists: Boolean =
      try system.exists(marker)
      catch {
        case NonFatal(e) =>
          Log.warn(s"The stop marker $marker could not be checked; the driver tries again", e)
          false
      }

    /** Not on the timer's thread: the stop may take as long as a micro-batch. */
    private def begin(action: Runnable): Unit = synchronized {
      if (!isClosed) {
        val thread = Daemons.named("stoplog-stop").newThread(action)
        stopping = Some(thread)
        thread.start()
      }
    }

    private def stop(timeoutMillis: Long, open: OpenAtStop): Unit =
      try { afterBatch(query, timeoutMillis, open); () }
      finally
        try { system.delete(marker, false); () }
        catch {
          case NonFatal(e) =>
            Log.warn(s"The stop marker $marker could not be deleted, and stops the next start: delete it", e)
        }
  }

  /** One attempt to stop a query between two micro-batches. */
  private[stoplog] final class Stopping(query: StreamingQuery, open: OpenAtStop) {
    private val runId   = query.runId.toString
    private val begunAt = finishedBatch

    def within(timeoutMillis: Long): Stopped = {
      val deadline = System.nanoTime() + timeoutMillis * 1000000
      def left     = ((deadline - System.nanoTime()) / 1000000).max(0L)
      while (!isBetweenBatches && left > 0) Thread.sleep(LookMillis.min(left))
      val between = isBetweenBatches
      val ours    = hold().isDefined || RunEnds.isAttending(runId)
      query.stop()
      if (ours && !RunEnds.await(runId, left)) Stopped.Ending
      else if (between) Stopped.BetweenBatches
      else Stopped.InBatch
    }

    /** Returns the sink, which starts no further epoch. Unknown before the first epoch. */
    def hold(): Option[LedgerRun[_]] = {
      val found = RunEnds.running(runId)
      found.foreach(_.stopAtNextEpoch(finish))
      found
    }

    /** Returns whether the query is between two micro-batches. Holds the sink before any check, because an
      * epoch started after the check would be interrupted. The sink is known only after the first trigger.
      * The query may also be handling the open parts of earlier runs.
      */
    private def isBetweenBatches: Boolean = {
      val isAttending = RunEnds.isAttending(runId)
      val held        = hold()
      val hasBegun    = held.isDefined || query.lastProgress != null
      val isIdle      = hasBegun && !query.status.isTriggerActive && !isAttending
      !query.isActive || isIdle || held.fold(finishedBatch != begunAt)(_.isHeld)
    }

    private def finish: Option[Finish] = open match {
      case OpenAtStop.Finalize     => Some(Finish.PublishOpen)
      case OpenAtStop.AsConfigured => None
    }

    private def finishedBatch: Option[(UUID, Long)] =
      Option(query.lastProgress).map((progress: StreamingQueryProgress) => progress.runId -> progress.batchId)

    private final val LookMillis = 20L
  }
}

/** The handling of parts that are open when a query is stopped.
  *
  * @param word the name in the Python API
  */
sealed abstract class OpenAtStop(val word: String)

object OpenAtStop {

  /** Open parts are finished and published regardless of `finalizeOnTermination`: readers see all rows. */
  case object Finalize extends OpenAtStop("finalize")

  /** Open parts are handled as `finalizeOnTermination` specifies; by default the next start resumes them. */
  case object AsConfigured extends OpenAtStop("asConfigured")

  /** Returns the value with this name. Throws `IllegalArgumentException` for an unknown name. */
  def of(word: String): OpenAtStop = Seq(Finalize, AsConfigured)
    .find(_.word == word)
    .getOrElse(throw new IllegalArgumentException(s"neither finalize nor asConfigured: $word"))
}

/** The result of stopping a query. In all cases no row is lost or repeated. */
sealed trait Stopped

object Stopped {

  /** The query was stopped between two micro-batches, and its sink took its final steps. */
  case object BetweenBatches extends Stopped

  /** The timeout expired during a micro-batch, which the next start repeats. The sink took its final steps.
    */
  case object InBatch extends Stopped

  /** The timeout expired before the sink completed its final steps. The sink continues while the process is
    * alive, and otherwise the next start completes them.
    */
  case object Ending extends Stopped
}
