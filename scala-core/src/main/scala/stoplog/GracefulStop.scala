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

/** Stops queries between two micro-batches, so that no work is thrown away.
  *
  * `query.stop()` alone interrupts the micro-batch that runs. That loses nothing either, for the next start does the epoch again; but
  * it costs the work of a micro-batch, and parts that were open stay so.
  *
  * {{{
  * val query = sink.writeStream(events).option("checkpointLocation", checkpoint).start()
  * val onTerm = GracefulStop.onShutdown(query, timeoutMillis = 25000)
  * query.awaitTermination()
  * onTerm.close()
  * }}}
  */
object GracefulStop {

  /** Waits for the end of the micro-batch that runs, stops the query, and waits until its sink has done what it does at
    * the end.
    *
    * A sink of stoplog's begins no other micro-batch meanwhile. A query with another sink is stopped when the one that
    * runs now has ended, maybe with the next one just begun.
    *
    * @param timeoutMillis for all of it, in milliseconds; then the query is stopped wherever it is
    * @param open          what becomes of open parts
    */
  def afterBatch(
      query: StreamingQuery,
      timeoutMillis: Long,
      open: OpenAtStop = OpenAtStop.Finalize
  ): Stopped = new Stopping(query, open).within(timeoutMillis)

  /** From now on, and until it is closed, the query is stopped like that when this JVM is asked to end, by SIGTERM for
    * example, before Spark stops its context.
    *
    * @param timeoutMillis less than the grace period before the JVM is killed: 30 s in Kubernetes
    */
  def onShutdown(
      query: StreamingQuery,
      timeoutMillis: Long,
      open: OpenAtStop = OpenAtStop.Finalize
  ): AutoCloseable = {
    val hook: Runnable = () => if (query.isActive) { afterBatch(query, timeoutMillis, open); () }
    val hooks          = ShutdownHookManager.get()
    // Spark leaves the time to its hooks' end to Hadoop, which by itself waits for 30 s.
    hooks.addShutdownHook(hook, BeforeSpark, timeoutMillis + SlackMillis, TimeUnit.MILLISECONDS)
    () => if (!hooks.isShutdownInProgress) { hooks.removeShutdownHook(hook); () }
  }

  /** From now on, and until it is closed, the query is stopped like that when there is a file of this name. The file is
    * removed once it has stopped, so that the next start is not stopped by it.
    *
    * @param marker      a path of any file system that Spark knows, outside of the sink's
    * @param everyMillis how often it is looked for
    */
  def onMarker(
      query: StreamingQuery,
      marker: String,
      everyMillis: Long,
      timeoutMillis: Long,
      open: OpenAtStop = OpenAtStop.Finalize
  ): AutoCloseable = {
    val path    = new Path(marker)
    val system  = FileSystem.get(path.toUri, SparkHadoop.configuration)
    val watched = SinkTimer.every(everyMillis) {
      if (!query.isActive) SinkTimer.Stop
      else if (exists(system, path, marker)) {
        // Not as work of the timer: it may take as long as a micro-batch.
        val thread = Daemons.named("stoplog-stop").newThread { () =>
          afterBatch(query, timeoutMillis, open)
          system.delete(path, false)
          ()
        }
        thread.start()
        SinkTimer.Stop
      } else SinkTimer.Again
    }
    () => watched.cancel()
  }

  private def exists(system: FileSystem, path: Path, marker: String): Boolean =
    try system.exists(path)
    catch {
      case NonFatal(e) =>
        Log.warn(s"Whether there is $marker, which asks for a stop, could not be seen; it is tried again", e)
        false
    }

  /** Spark's own hook, which stops the context, comes at Hadoop's for file systems and 30; what is higher comes first. */
  private final val BeforeSpark = FileSystem.SHUTDOWN_HOOK_PRIORITY + 50

  private final val SlackMillis = 5000L

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

    /** The sink, which begins no other epoch from now on. It may be known only once the first epoch has begun. */
    def hold(): Option[LedgerRun[_]] = {
      val found = RunEnds.running(runId)
      found.foreach(_.stopAtNextEpoch(finish))
      found
    }

    /** The sink is held before anything is looked at: an epoch that began after the look would be interrupted. It is known once
      * the first trigger is over, and the query looks after what an earlier run left open.
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

/** The treatment of parts that are open when a query is stopped.
  *
  * @param word as Python says it
  */
sealed abstract class OpenAtStop(val word: String)

object OpenAtStop {

  /** They are finished and published, whatever `finalizeOnTermination` says: readers see all rows. */
  case object Finalize extends OpenAtStop("finalize")

  /** As `finalizeOnTermination` says: by its default the next start goes on in them. */
  case object AsConfigured extends OpenAtStop("asConfigured")

  /** Error: `IllegalArgumentException`. */
  def of(word: String): OpenAtStop = Seq(Finalize, AsConfigured)
    .find(_.word == word)
    .getOrElse(throw new IllegalArgumentException(s"neither finalize nor asConfigured: $word"))
}

/** The end of a query that was stopped. In each case no row is lost, and none repeated. */
sealed trait Stopped

object Stopped {

  /** Between two micro-batches, and its sink has done what it does at the end. */
  case object BetweenBatches extends Stopped

  /** Time was up in the middle of a micro-batch, which the next start does again. Its sink has done what it does at the
    * end.
    */
  case object InBatch extends Stopped

  /** Time was up before its sink had done what it does at the end: it goes on with it as long as its process lives, and
    * then the next start does.
    */
  case object Ending extends Stopped
}
