// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.time.Instant
import java.util.{Map => JMap}
import java.util.concurrent._

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerApplicationEnd, SparkListenerEvent}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.StreamingQueryProgress
import org.apache.spark.sql.streaming.StreamingQueryListener.{
  QueryProgressEvent, QueryStartedEvent, QueryTerminatedEvent
}

import stoplog.engine.{EarlierDecision, LedgerRun, Progress, QueryTrigger, RunStart}
import stoplog.error.Log
import stoplog.thread.Daemons

/** Notices the end of a query, of which Spark does not tell a sink, and ends its run. Also records its progress. */
private[stoplog] object RunEnds {
  private val runs     = new ConcurrentHashMap[String, Watched]()
  private val starting = new ConcurrentHashMap[String, PreviousRun]()
  private val started  = new ConcurrentHashMap[String, PreviousRun]()
  private val ended    = new ConcurrentHashMap[String, CountDownLatch]()
  private val finals   = new ConcurrentHashMap[String, JMap[String, String]]()
  private val contexts = ConcurrentHashMap.newKeySet[String]()

  // Apart from the listener's thread: other listeners must not wait for the storage.
  private lazy val enders = Executors.newCachedThreadPool(Daemons.named("stoplog-end"))

  /** From now on the end of the run is looked out for. */
  def watch(start: RunStart, run: LedgerRun[_]): Unit = {
    runs.put(start.runId, Watched(start.queryId, run))
    latch(start.runId)
    ()
  }

  /** A query that is about to start, and was started before. */
  def watchStart(earlier: PreviousRun): Unit = {
    starting.put(earlier.queryId, earlier)
    ()
  }

  /** Once for each context. */
  def listenTo(context: SparkContext): Unit =
    if (contexts.add(context.applicationId)) context.addSparkListener(new Listener(context.applicationId))

  /** The run of this start of a query, if it has come so far. */
  def running(runId: String): Option[LedgerRun[_]] = Option(runs.get(runId)).map(_.run)

  /** The runs of this query whose end has not been dealt with. */
  def runsOf(queryId: String): Vector[String] =
    runs.asScala.iterator.collect { case (runId, Watched(`queryId`, _)) => runId }.toVector

  /** Waits until the end of that run has been dealt with, its open parts finished if they had to be.
    *
    * @return whether it was in time
    */
  def await(runId: String, timeoutMillis: Long): Boolean =
    latch(runId).await(timeoutMillis, TimeUnit.MILLISECONDS)

  /** The metrics of a run that has ended, with what it did at its end; nothing of any other. */
  def finalMetrics(runId: String): JMap[String, String] = finals.getOrDefault(runId, JMap.of())

  private final class Listener(application: String) extends SparkListener {
    private val ending = new ConcurrentLinkedQueue[Future[_]]()

    override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
      case start: QueryStartedEvent =>
        Option(starting.remove(start.id.toString)).foreach { earlier =>
          started.put(start.runId.toString, earlier)
          enders.execute(() => Try(earlier.started(start.runId.toString)).failed.foreach(warn))
        }
      case batch: QueryProgressEvent =>
        running(batch.progress.runId.toString).foreach(_.progressed(progressOf(batch.progress)))
      case end: QueryTerminatedEvent =>
        ending.removeIf(_.isDone)
        ending.add(enders.submit((() => finish(end)): Runnable))
        ()
      case _ => ()
    }

    /** The last that a listener hears, so it may wait here: what has ended is finished before the JVM is gone. */
    override def onApplicationEnd(event: SparkListenerApplicationEnd): Unit = {
      contexts.remove(application)
      ending.forEach(future => Try(future.get(ApplicationEndMillis, TimeUnit.MILLISECONDS)))
      runs.values.asScala.toVector.foreach(_.run.endIfIdle())
      runs.clear()
    }
  }

  private def finish(end: QueryTerminatedEvent): Unit = {
    val runId = end.runId.toString
    try {
      // Maybe the start has not been dealt with, for which a query without data leaves no time.
      Option(started.remove(runId)).foreach(earlier => Try(earlier.started(runId)).failed.foreach(warn))
      running(runId).foreach(_.end(end.exception))
    } finally {
      Option(runs.remove(runId)).foreach(ended => finals.put(runId, SinkTable.metrics(ended.run.counts)))
      latch(runId).countDown()
      forgetSome()
    }
  }

  /** The time is 0 as long as a query has no watermark yet. */
  private def progressOf(batch: StreamingQueryProgress): Progress = Progress(
    Option(batch.eventTime.get("watermark")).flatMap(text => Try(Instant.parse(text).toEpochMilli).toOption),
    batch.numInputRows
  )

  private def warn(e: Throwable): Unit =
    Log.warn("What an earlier run left open is not looked after before the next epoch", e)

  private def latch(runId: String): CountDownLatch = ended.computeIfAbsent(runId, _ => new CountDownLatch(1))

  /** A session may start a great many queries. */
  private def forgetSome(): Unit = if (ended.size > RememberedRuns)
    ended.asScala.iterator
      .filter(_._2.getCount == 0)
      .take(RememberedRuns / 2)
      .map(_._1)
      .toVector
      .foreach { runId =>
        ended.remove(runId)
        finals.remove(runId)
      }

  private val RememberedRuns       = 10000
  private val ApplicationEndMillis = 60000L
  private val EarlierEndMillis     = 60000L

  private final case class Watched(queryId: String, run: LedgerRun[_])

  /** The start of a query that was started before from the same checkpoint.
    *
    * Spark tells a sink nothing at all before there is data, which may be never. What an earlier run had left open does not
    * wait for that.
    *
    * @param earlier what its runs had decided when the sink was made
    * @param unended those that had not ended before that: Spark stops a run that is active when its query is started
    *                again, and tells of each end later
    * @param resume  what they have decided at last
    * @param waits   makes the run that looks after what is open, for one start of the query and the newest record of the
    *                earlier run
    */
  private[spark] final class PreviousRun(
      val queryId: String,
      earlier: EarlierDecision,
      unended: Vector[String],
      resume: () => Option[EarlierDecision],
      waits: (RunStart, Long) => Unit,
      session: SparkSession
  ) {
    @volatile private var asked = Option.empty[QueryTrigger]

    /** Behind the records with which the runs have ended. */
    private lazy val newest: Option[EarlierDecision] =
      if (unended.isEmpty) Some(earlier)
      else {
        unended.foreach(await(_, EarlierEndMillis))
        resume()
      }

    /** The query runs, so Spark knows its trigger: the start and the end may be heard of when it is long over. */
    def runs(): Unit = if (asked.isEmpty) asked = QueryContext.trigger(session, queryId)

    /** The start was not refused: from now on the clock, and the end of the query, take care of what is open.
      * Idempotent.
      */
    def started(runId: String): Unit = {
      runs()
      newest.foreach { last =>
        // A query that failed before it could be asked leaves its parts alone, or finishes them, whatever its trigger.
        val trigger = asked.getOrElse(last.trigger)
        SparkSession.setActiveSession(session)
        try waits(RunStart(queryId, runId, trigger), last.seq)
        finally SparkSession.clearActiveSession()
      }
    }
  }
}
