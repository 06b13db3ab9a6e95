// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.{DataFrame, SparkSession}

import stoplog.error.Redaction
import stoplog.kafka.client.KafkaErrors

/** Rows out of Kafka by Spark's own source, which is a good one: this only sets it.
  *
  * {{{
  * val orders = KafkaSource
  *   .builder("broker1:9092")
  *   .withTopics("orders")
  *   .startingFrom(StartPosition.group("billing", otherwise = StartPosition.Earliest))
  *   .withMaxOffsetsPerTrigger(100000)
  *   .withValue(Decoder.json("id BIGINT, item STRING"))
  *   .build()
  *   .readStream(spark)
  * }}}
  *
  * The columns are `key`, `value`, `topic`, `partition`, `offset`, `timestamp`, `timestampType` and `headers`; `key` and
  * `value` as their decoders make them. Only committed records are read, unless `isolation.level` is set otherwise. New
  * partitions, and new topics of a pattern, are read from their beginning as soon as Spark has found them.
  *
  * Immutable.
  *
  * @param settings what Spark's source is told
  * @param columns  SQL expressions over what it answers with
  */
final class KafkaSource private[kafka] (settings: Map[String, String], val columns: Seq[String]) {

  /** The options of `format("kafka")` that stand for this source. */
  def options(): JMap[String, String] = settings.asJava

  /** What a stream reads. A query that has a checkpoint goes on from there, whatever the starting position.
    *
    * Error: `STOPLOG_KAFKA_SOURCE_MISSING`.
    */
  def readStream(spark: SparkSession): DataFrame = {
    SparkKafka.require()
    spark.readStream.format(SparkKafka.Format).options(settings).load().selectExpr(columns: _*)
  }

  /** What is there now. A start at the latest offsets has nothing to read; limits mean nothing.
    *
    * Error: `STOPLOG_KAFKA_SOURCE_MISSING`.
    */
  def read(spark: SparkSession): DataFrame = {
    SparkKafka.require()
    spark.read.format(SparkKafka.Format).options(settings).load().selectExpr(columns: _*)
  }

  override def equals(other: Any): Boolean = other match {
    case that: KafkaSource => options() == that.options() && columns == that.columns
    case _                 => false
  }

  override def hashCode: Int = (options(), columns).hashCode

  override def toString: String = Redaction.options("KafkaSource", settings)
}

object KafkaSource {

  /** Begins a source.
    *
    * @param servers the brokers to ask first, as `host:port`, separated by commas
    */
  def builder(servers: String): KafkaSourceBuilder = KafkaSourceBuilder(servers)

  /** Where a consumer group has got to, as Spark's option `startingOffsets`; for Python.
    *
    * Error: `STOPLOG_KAFKA_GROUP`.
    *
    * @param client    settings of Kafka's client, by their own names
    * @param selection Spark's option `subscribe`, `subscribePattern` or `assign`, and its value
    * @param otherwise of a partition for which the group has committed nothing: `earliest`, `latest` or `fail`
    */
  def groupOffsets(
      client: JMap[String, String],
      group: String,
      selection: JMap[String, String],
      otherwise: String
  ): String =
    new ConsumerGroup(client.asScala.toMap, group)
      .startingOffsets(selection.asScala.toMap, StartPosition.Otherwise.named(otherwise))

  /** That Spark's own source is there; for Python. Error: `STOPLOG_KAFKA_SOURCE_MISSING`. */
  def requireSpark(): Unit = SparkKafka.require()
}

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
