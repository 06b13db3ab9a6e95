// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

import org.apache.spark.SPARK_VERSION

import stoplog.kafka.client.KafkaErrors

/** Spark's own Kafka module, which is no part of Spark's distribution. */
private[kafka] object SparkKafka {
  val Format = "kafka"

  /** Error: `STOPLOG_KAFKA_SOURCE_MISSING`, with what to ask for. */
  def require(): Unit =
    try {
      Class.forName(Provider, false, Thread.currentThread.getContextClassLoader)
      ()
    } catch {
      case e: ClassNotFoundException =>
        throw KafkaErrors.sourceMissing(artifact, s"there is no class ${e.getMessage}")
    }

  private def artifact = s"org.apache.spark:spark-sql-kafka-0-10_2.13:$SPARK_VERSION"

  private val Provider = "org.apache.spark.sql.kafka010.KafkaSourceProvider"
}
