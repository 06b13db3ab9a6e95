// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.{StreamingQueryListener, StreamingQueryProgress}
import org.apache.spark.sql.streaming.StreamingQueryListener._

/** What the only query that runs meanwhile says of its micro-batches and of polls that find nothing, in their order. */
final class Progresses(spark: SparkSession) extends StreamingQueryListener with AutoCloseable {
  private val told = new LinkedBlockingQueue[Either[String, StreamingQueryProgress]]

  spark.streams.addListener(this)

  /** The first one that is as wanted, of those that nothing has waited for yet. */
  def next(wanted: StreamingQueryProgress => Boolean): StreamingQueryProgress =
    Iterator.continually(take()).find(wanted).get

  override def onQueryStarted(event: QueryStartedEvent): Unit = ()

  override def onQueryProgress(event: QueryProgressEvent): Unit = told.put(Right(event.progress))

  /** Of a poll that finds nothing Spark tells listeners only that there was one. */
  override def onQueryIdle(event: QueryIdleEvent): Unit =
    for {
      query    <- Option(spark.streams.get(event.id))
      progress <- Option(query.lastProgress)
    } told.put(Right(progress))

  override def onQueryTerminated(event: QueryTerminatedEvent): Unit =
    told.put(Left(s"the query has ended before: ${event.exception.getOrElse("without an error")}"))

  override def close(): Unit = spark.streams.removeListener(this)

  private def take(): StreamingQueryProgress = told.poll(LimitMinutes, TimeUnit.MINUTES) match {
    case null  => throw new AssertionError(s"no progress for $LimitMinutes minutes")
    case ended => ended.fold(message => throw new AssertionError(message), identity)
  }

  private final val LimitMinutes = 10L
}
