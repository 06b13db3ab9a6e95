// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.spark

import java.util.{Map => JMap, UUID}

import scala.util.Try

import org.apache.spark.sql.SparkSession
import org.slf4j.LoggerFactory

import stoplog.options.TimeSpan

/** How long the query on this thread waits between two micro-batches at most. */
private[kafka] object TriggerInterval {

  /** Says so once if a micro-batch that takes as long as its trigger allows would lose its transactions. No more than
    * that: most take much less, and a later one only makes the next wait.
    */
  def warnIfLonger(timeoutMillis: Long): Unit = millis.filter(_ >= timeoutMillis).foreach { interval =>
    logger.warn(
      s"The trigger's interval is ${TimeSpan.render(interval)}, transactionTimeout ${TimeSpan.render(timeoutMillis)}: " +
        "a micro-batch that takes as long as that is aborted by the brokers"
    )
  }

  /** Spark keeps the trigger from sinks. Its classes have moved between versions, so it is asked by name, and `None` is an
    * answer.
    */
  private[spark] def millis: Option[Long] = Try {
    def call(target: AnyRef, method: String): AnyRef = target.getClass.getMethod(method).invoke(target)
    val session                                      = SparkSession.active
    val queryId = Option(session.sparkContext.getLocalProperty(QueryId)).get
    val queries =
      call(call(session, "sharedState"), "activeStreamingQueries").asInstanceOf[JMap[UUID, AnyRef]]
    val trigger = call(queries.get(UUID.fromString(queryId)), "trigger")
    call(trigger, "intervalMs").asInstanceOf[Long]
  }.toOption

  // The name of Spark's own constant, which is out of reach.
  private val QueryId = "sql.streaming.queryId"

  private val logger = LoggerFactory.getLogger("stoplog")
}
