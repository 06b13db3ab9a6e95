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

/** Notices the end of a query, of which Spark does not tell a sink, and ends its run. Also records its progress.
  *
  * A run is known from its first sign on the query's own thread on: its first epoch, or its first trigger that found no data. Ends
  * are heard of later, on a queue; Spark drops events where the queue is full, so a clock looks after runs as well.
  */
private[stoplog] object RunEnds {
  private val runs      = new ConcurrentHashMap[String, Watched]()
  private val attending = new ConcurrentHashMap[String, Future[Boolean]]()
  private val ends      = new EndedRuns(mostRuns = 10000)
  private val listeners = new ConcurrentHashMap[String, SparkListener]()

  // Apart from the listener's thread: other listeners must not wait for the storage.
  private lazy val enders = Executors.newCachedThreadPool(Daemons.named("stoplog-end"))

  private lazy val looks = SinkTimer.every(LookMillis) { lookAround(); SinkTimer.Again }

  /** From now on the end of the run is looked out for. Called with the query's session as the active one. */
  def watch(start: RunStart, run: LedgerRun[_]): Unit = {
    runs.put(start.runId, new Watched(start, run, SparkSession.active))
    looks
    ()
  }

  /** The query runs, and has no epoch yet: from now on its run takes care of what earlier ones left open. Idempotent. Called
    * on the query's own thread, which waits for no end of an earlier run: that is waited for on another one.
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
        Log.warn("What an earlier run left open is not looked after before the next epoch", e)
        false
    }

  /** Whether the run has yet to take care of what earlier ones left open, and is about to. */
  def isAttending(runId: String): Boolean = Option(attending.get(runId)).exists(!_.isDone)

  /** Once for each context. */
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

  /** The run of this start of a query, if it has come so far. */
  def running(runId: String): Option[LedgerRun[_]] = Option(runs.get(runId)).map(_.run)

  /** The runs of this query whose end has not been dealt with. */
  def runsOf(queryId: String): Vector[String] =
    runs.values.asScala.iterator.map(_.start).filter(_.queryId == queryId).map(_.runId).toVector

  /** Waits until the end of that run has been dealt with, its open parts finished if they had to be.
    *
    * @return whether it was in time, and all was done
    */
  def await(runId: String, timeoutMillis: Long): Boolean = ends.await(runId, timeoutMillis)

  /** The metrics of a run that has ended, with what it did at its end; nothing of any other. */
  def finalMetrics(runId: String): JMap[String, String] = ends.metrics(runId)

  /** Ends runs of which Spark has not said that they are over, long after they were. */
  private[spark] def lookAround(): Unit = runs.forEach { (runId, watched) =>
    if (watched.isMissedAgain) {
      Log.warn(
        s"Spark has not told that run $runId of query ${watched.start.queryId} is over; its sink ends it now"
      )
      enders.execute(() => finish(runId, Some("Spark has not told of the end of the query")))
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

    /** The last that a listener hears, so it may wait here: what has ended is finished before the JVM is gone. */
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
    val metrics = Option(runs.remove(runId)).map(watched => SinkTable.metrics(watched.run.counts))
    ends.add(runId, isDone, metrics.getOrElse(JMap.of()))
  }

  /** The time is 0 as long as a query has no watermark yet. */
  private def progressOf(batch: StreamingQueryProgress): Progress = Progress(
    Option(batch.eventTime.get("watermark")).flatMap(text => Try(Instant.parse(text).toEpochMilli).toOption),
    batch.numInputRows
  )

  private val ApplicationEndMillis = 60000L
  private val EarlierEndMillis     = 60000L
  private val LookMillis           = 60000L

  /** A run whose end has not been dealt with. */
  private final class Watched(val start: RunStart, val run: LedgerRun[_], session: SparkSession) {
    private val missed = new atomic.AtomicInteger()

    /** Whether the query was over at this look and the ones before it: an event may be late for minutes. */
    def isMissedAgain: Boolean = QueryContext.isOver(session, start) match {
      case Some(true) => missed.incrementAndGet() == LooksMissed
      case _          => missed.set(0); false
    }
  }

  /** The looks at which a run is not found before it counts as over. */
  private[spark] val LooksMissed = 10

  /** What the runs before a start of a query have left. Spark tells a sink nothing of a query that gets no data but by its
    * question for metrics; what is open does not wait for data.
    *
    * @param newestSeq of the log when the sink was made
    * @param unended   the runs that had not ended before that: Spark stops a run that is active when its query is started
    *                  again, and tells of each end later
    * @param resume    carries out what they have decided at last, and answers the newest record
    * @param waits     makes the run that looks after what is open behind that record
    */
  private[spark] final class EarlierRuns(
      newestSeq: Long,
      unended: Vector[String],
      resume: () => Option[Long],
      waits: (RunStart, Long) => Unit
  ) {

    /** Whether all of them had ended when the sink was made. */
    def haveEnded: Boolean = unended.isEmpty

    /** Called with the query's session as the active one. Waits for the ends that have yet to come. */
    def attend(start: RunStart): Unit = {
      unended.foreach(await(_, EarlierEndMillis))
      val newest = if (haveEnded) Some(newestSeq) else resume()
      newest.foreach(waits(start, _))
    }
  }

  /** Runs an action on another thread as on that of a query: with its session, and the classes that the session knows. */
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
