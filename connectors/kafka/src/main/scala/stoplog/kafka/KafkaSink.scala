// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

import java.util.{List => JList, Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, DataFrameWriter, Row, SaveMode}
import org.apache.spark.sql.streaming.DataStreamWriter

import stoplog.Configured
import stoplog.kafka.options.{KafkaSinkOptionRegistry, KafkaSinkOptions}

/** The configured sink, which writes rows to Kafka. Readers of committed records see each row exactly once.
  *
  * {{{
  * val sink = KafkaSink
  *   .to("broker1:9092,broker2:9092")
  *   .withTopic("orders")
  *   .withTransactionTimeout("15m")
  *   .build()
  *
  * val records = orders.selectExpr("id AS key", "to_json(struct(*)) AS value")
  * sink.writeStream(records, "/data/checkpoints/orders").start()
  * }}}
  *
  * Each row becomes a record, by column names. The column `value` (string or binary) is required. The columns
  * `key` (string or binary), `headers` (`array<struct<key:string,value:binary>>`), `topic`, `partition` and
  * `timestamp` are optional.
  *
  * Immutable. The same options can be set individually on `format("stoplog-kafka")`. The file
  * `docs/reference/kafka-options.md` lists all options.
  */
final class KafkaSink private (settings: KafkaSinkOptions) extends Configured(settings.toMap) {

  /** Returns a stream writer with all options of the sink. The caller sets the trigger and calls `start()`.
    *
    * @param checkpointLocation the location of the query's checkpoint and the sink's commit log
    */
  def writeStream(rows: DataFrame, checkpointLocation: String): DataStreamWriter[Row] =
    rows.writeStream
      .format(KafkaSink.Format)
      .options(settings.toMap)
      .option("checkpointLocation", checkpointLocation)

  /** Returns a batch writer; the caller calls `save()`. Spark does not repeat a batch query. If the driver
    * dies during the commit, some rows are visible, and no restart adds the remaining rows.
    */
  def write(rows: DataFrame): DataFrameWriter[Row] =
    rows.write.format(KafkaSink.Format).options(settings.toMap).mode(SaveMode.Append)
}

object KafkaSink {

  /** The name for `format(…)` in a write without a builder. */
  val Format: String = "stoplog-kafka"

  /** Starts a sink builder.
    *
    * @param servers the bootstrap brokers, as `host:port`, separated by commas
    */
  def to(servers: String): KafkaSinkBuilder = new KafkaSinkBuilder(
    Map(KafkaSinkOptionRegistry.Servers.key -> servers)
  )

  /** Creates the sink from options.
    *
    * @throws stoplog.error.StoplogArgumentException with all problems of the options at once
    */
  def fromOptions(options: JMap[String, String]): KafkaSink = new KafkaSink(KafkaSinkOptions.parse(options))

  /** Returns the keys of all options, without the options of Kafka's clients. */
  def optionKeys(): JList[String] = KafkaSinkOptionRegistry.all.map(_.key).asJava
}

/** Builds a [[KafkaSink]]. Immutable: each call returns a new builder. Only [[build]] validates the options.
  */
final class KafkaSinkBuilder private[kafka] (options: Map[String, String]) {

  /** Sets the topic of all rows. Without this option, the column `topic` contains the topic of each row. */
  def withTopic(topic: String): KafkaSinkBuilder = withOption("topic", topic)

  /** Sets the delivery: `none`, `at-least-once` or `exactly-once`, the default. */
  def withDelivery(delivery: String): KafkaSinkBuilder = withOption("delivery", delivery)

  /** Sets the name of a class that implements `org.apache.kafka.clients.producer.Partitioner`. */
  def withPartitioner(className: String): KafkaSinkBuilder =
    withProducerSetting("partitioner.class", className)

  /** Sets the time after which the brokers abort an unfinished transaction; `15m` by default. */
  def withTransactionTimeout(timeout: String): KafkaSinkBuilder = withOption("transactionTimeout", timeout)

  /** Sets the action if the brokers have aborted a transaction whose commit is in the log: `fail` or `skip`.
    */
  def withOnLostTransaction(choice: String): KafkaSinkBuilder = withOption("onLostTransaction", choice)

  /** Sets the prefix of all transactional ids; `stoplog` by default. */
  def withTransactionalIdPrefix(prefix: String): KafkaSinkBuilder =
    withOption("transactionalIdPrefix", prefix)

  /** Sets the directory of the commit log; by default the checkpoint. */
  def withLogLocation(directory: String): KafkaSinkBuilder = withOption("logLocation", directory)

  /** Sets the name of the log; `main` by default. Sinks that share a log location need different names. */
  def withSinkId(sinkId: String): KafkaSinkBuilder = withOption("sinkId", sinkId)

  /** Sets the reaction to a log of another query: `fail` (the default), `adopt`, or `adoptAndRepeat`, which
    * writes epochs again and is valid for one start.
    */
  def withOnForeignQuery(choice: String): KafkaSinkBuilder = withOption("onForeignQuery", choice)

  /** Sets a setting of Kafka's producer, by its Kafka name, such as `compression.type`. */
  def withProducerSetting(name: String, value: String): KafkaSinkBuilder = withOption(s"kafka.$name", value)

  /** Sets any option by its name. */
  def withOption(key: String, value: String): KafkaSinkBuilder = new KafkaSinkBuilder(
    options + (key -> value)
  )

  /** Builds the sink.
    *
    * @throws stoplog.error.StoplogArgumentException with all problems at once
    */
  def build(): KafkaSink = KafkaSink.fromOptions(options.asJava)
}
