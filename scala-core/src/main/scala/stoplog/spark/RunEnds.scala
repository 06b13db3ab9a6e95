// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.time.Instant
import java.util.{Map => JMap}
import java.util.concurrent._

import scala.jdk.CollectionConverters._
import scala.util.Try
import scala.util.control.NonFatal

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerApplicationEnd, SparkListenerEvent}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.StreamingQueryProgress
import org.apache.spark.sql.streaming.StreamingQueryListener.{QueryProgressEvent, QueryTerminatedEvent}

import stoplog.engine.{LedgerRun, Progress, RunStart}
import stoplog.error.Log
import stoplog.thread.{Daemons, SinkTimer}

/** Detects the end of a query, which Spark does not report to a sink, and ends its run. Also records its
  * progress.
  *
  * A run is registered on the query's own thread, at its first epoch or at its first trigger without data.
  * Events for ended queries arrive later through a queue. Spark drops events if the queue is full, so a timer
  * also checks the runs.
  */
private[stoplog] object RunEnds {
  private val runs      = new ConcurrentHashMap[String, Watched]()
  private val attending = new ConcurrentHashMap[String, Future[Boolean]]()
  private val ends      = new EndedRuns(mostRuns = 10000)
  private val listeners = new ConcurrentHashMap[String, SparkListener]()

  // A separate pool, because other listeners must not wait for the storage.
  private lazy val enders = Executors.newCachedThreadPool(Daemons.named("stoplog-end"))

  private lazy val looks = SinkTimer.every(LookMillis) { lookAround(); SinkTimer.Again }

  /** Registers a run, so that its end is handled. Called with the query's session as the active session. */
  def watch(start: RunStart, run: LedgerRun[_]): Unit = {
    runs.put(start.runId, new Watched(start, run, SparkSession.active))
    looks
    ()
  }

  /** Handles open parts of earlier runs for a query without an epoch. Idempotent. Called on the query's own
    * thread, which must not wait for ends of earlier runs, so another thread waits.
    */
  def attend(start: RunStart, earlier: EarlierRuns): Unit =
    if (!attending.containsKey(start.runId)) {
      val done =
        if (earlier.haveEnded) CompletableFuture.completedFuture(attended(earlier, start))
        else {
          val session = SparkSession.active
          val loader  = Thread.currentThread.getContextClassLoader
          enders.submit((() => InSession(session, loader)(attended(earlier, start))): Callable[Boolean])
        }
      attending.put(start.runId, done)
      ()
    }

  private def attended(earlier: EarlierRuns, start: RunStart): Boolean =
    try { earlier.attend(start); true }
    catch {
      case NonFatal(e) =>
        Log.warn("Open parts of an earlier run are not checked before the next epoch", e)
        false
    }

  /** Returns whether the run is still handling the open parts of earlier runs. */
  def isAttending(runId: String): Boolean = Option(attending.get(runId)).exists(!_.isDone)

  /** Adds the listener, once for each context. */
  def listenTo(context: SparkContext): Unit = {
    listeners.computeIfAbsent(
      context.applicationId,
      application => {
        val listener = new Listener(application)
        context.addSparkListener(listener)
        listener
      }
    )
    ()
  }

  /** Returns the run for this start of a query, if registered. */
  def running(runId: String): Option[LedgerRun[_]] = Option(runs.get(runId)).map(_.run)

  /** Returns the runs of this query whose end is not yet handled. */
  def runsOf(queryId: String): Vector[String] =
    runs.values.asScala.iterator.map(_.start).filter(_.queryId == queryId).map(_.runId).toVector

  /** Waits until the end of a run is handled, including the open parts that must be finished.
    *
    * @return whether the end was handled in time, with all steps completed
    */
  def await(runId: String, timeoutMillis: Long): Boolean = ends.await(runId, timeoutMillis).exists(_.isDone)

  /** Does the same, and also returns `false` if the end has interrupted an epoch. */
  def awaitWhole(runId: String, timeoutMillis: Long): Boolean =
    ends.await(runId, timeoutMillis).exists(ended => ended.isDone && ended.isWhole)

  /** Returns the metrics of an ended run, including its final steps. Empty for any other run. */
  def finalMetrics(runId: String): JMap[String, String] = ends.metrics(runId)

  /** Ends runs that ended long ago without an event from Spark. */
  private[spark] def lookAround(): Unit = runs.forEach { (runId, watched) =>
    if (watched.isMissedAgain) {
      Log.warn(
        s"Spark sent no end event for run $runId of query ${watched.start.queryId}; the sink finishes the run"
      )
      enders.execute(() => finish(runId, Some("Spark sent no end event of the query")))
    }
  }

  private[spark] def listenerOf(context: SparkContext): SparkListener = listeners.get(context.applicationId)

  private final class Listener(application: String) extends SparkListener {
    private val ending = new ConcurrentLinkedQueue[Future[_]]()

    override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
      case batch: QueryProgressEvent =>
        running(batch.progress.runId.toString).foreach(_.progressed(progressOf(batch.progress)))
      case end: QueryTerminatedEvent =>
        ending.removeIf(_.isDone)
        ending.add(enders.submit((() => finish(end.runId.toString, end.exception)): Runnable))
        ()
      case _ => ()
    }

    /** Final listener event. Blocks until all ended runs are finished, so the JVM does not exit first. */
    override def onApplicationEnd(event: SparkListenerApplicationEnd): Unit = {
      listeners.remove(application)
      ending.forEach(future => Try(future.get(ApplicationEndMillis, TimeUnit.MILLISECONDS)))
      runs.forEach((runId, watched) => ended(runId, watched.run.endIfIdle()))
      attending.clear()
    }
  }

  private def finish(runId: String, exception: Option[String]): Unit = {
    var isDone = false
    try {
      val isAttended = Option(attending.get(runId)).forall(_.get())
      isDone = running(runId).forall(_.end(exception)) && isAttended
    } finally ended(runId, isDone)
  }

  private def ended(runId: String, isDone: Boolean): Unit = {
    attending.remove(runId)
    RunGauges.hide(runId)
    val run     = Option(runs.remove(runId)).map(_.run)
    val metrics = run.fold(JMap.of[String, String]())(each => SinkTable.metrics(each.counts))
    ends.add(runId, EndedRuns.Ended(isDone, isWhole = !run.exists(_.isInEpoch), metrics))
  }

  /** The time is 0 before a query has a watermark. */
  private def progressOf(batch: StreamingQueryProgress): Progress = Progress(
    Option(batch.eventTime.get("watermark")).flatMap(text => Try(Instant.parse(text).toEpochMilli).toOption),
    batch.numInputRows
  )

  private val ApplicationEndMillis = 60000L
  private val EarlierEndMillis     = 60000L
  private val LookMillis           = 60000L

  /** A run whose end is not yet handled. */
  private final class Watched(val start: RunStart, val run: LedgerRun[_], session: SparkSession) {
    private val missed = new atomic.AtomicInteger()

    /** Returns whether the query was over in several successive checks, as an event may be minutes late. */
    def isMissedAgain: Boolean = QueryContext.isOver(session, start) match {
      case Some(true) => missed.incrementAndGet() == LooksMissed
      case _          => missed.set(0); false
    }
  }

  /** The number of checks without a run, after which the run counts as ended. */
  private[spark] val LooksMissed = 10

  /** The state left by runs before a start of a query. If a query receives no data, Spark's only call to the
    * sink requests metrics. Open parts must be handled without waiting for data.
    *
    * @param newestSeq the newest record of the log when the sink was created
    * @param unended   the runs that had not ended at this time. If a query is started again, Spark stops the
    *                  active run and reports its end later
    * @param resume    executes the final decisions of these runs and returns the newest record
    * @param waits     creates the run that handles the open parts after this record
    */
  private[spark] final class EarlierRuns(
      newestSeq: Long,
      unended: Vector[String],
      resume: () => Option[Long],
      waits: (RunStart, Long) => Unit
  ) {

    /** Returns whether all earlier runs had ended when the sink was created. */
    def haveEnded: Boolean = unended.isEmpty

    /** Waits for pending ends of runs. Called with the query's session as the active session. */
    def attend(start: RunStart): Unit = {
      unended.foreach(await(_, EarlierEndMillis))
      val newest = if (haveEnded) Some(newestSeq) else resume()
      newest.foreach(waits(start, _))
    }
  }

  /** Runs an action on another thread with the query's session and class loader. */
  private object InSession {
    def apply[A](session: SparkSession, loader: ClassLoader)(action: => A): A = {
      val thread = Thread.currentThread
      val before = thread.getContextClassLoader
      thread.setContextClassLoader(loader)
      SparkSession.setActiveSession(session)
      try action
      finally {
        SparkSession.clearActiveSession()
        thread.setContextClassLoader(before)
      }
    }
  }
}
