// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.spark

import scala.util.Try

import org.apache.spark.sql.SparkSession

import stoplog.error.Log
import stoplog.options.TimeSpan
import stoplog.spark.QueryContext

/** How long the query on this thread waits between two micro-batches at most. */
private[kafka] object TriggerInterval {

  /** Says so once if a micro-batch that takes as long as its trigger allows would lose its transactions. No more than
    * that: most take much less, and a later one only makes the next wait.
    */
  def warnIfLonger(timeoutMillis: Long): Unit = millis.filter(_ >= timeoutMillis).foreach { interval =>
    Log.warn(
      s"The trigger's interval is ${TimeSpan.render(interval)}, transactionTimeout ${TimeSpan.render(timeoutMillis)}: " +
        "a micro-batch that takes as long as that is aborted by the brokers"
    )
  }

  /** `None` where the trigger has no interval, or cannot be asked: its class has moved between versions of Spark. */
  private def millis: Option[Long] = for {
    session  <- SparkSession.getActiveSession
    queryId  <- Option(session.sparkContext.getLocalProperty(QueryId))
    trigger  <- QueryContext.sparksTrigger(session, queryId)
    interval <- Try(trigger.getClass.getMethod("intervalMs").invoke(trigger).asInstanceOf[Long]).toOption
  } yield interval

  // The name of Spark's own constant, which is out of reach.
  private val QueryId = "sql.streaming.queryId"
}
