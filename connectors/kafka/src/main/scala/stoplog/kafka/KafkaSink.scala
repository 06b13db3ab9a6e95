// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

import java.util.{List => JList, Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, DataFrameWriter, Row, SaveMode}
import org.apache.spark.sql.streaming.DataStreamWriter

import stoplog.Configured
import stoplog.kafka.options.{KafkaSinkOptionRegistry, KafkaSinkOptions}

/** Rows into Kafka, each of them exactly once for readers of committed records: the sink, fully set.
  *
  * {{{
  * val sink = KafkaSink
  *   .to("broker1:9092,broker2:9092")
  *   .withTopic("orders")
  *   .withTransactionTimeout("15m")
  *   .build()
  *
  * sink.writeStream(orders.selectExpr("id AS key", "to_json(struct(*)) AS value"), "/data/checkpoints/orders").start()
  * }}}
  *
  * A row is a record by the names of its columns: `value` (string or binary), and if there are such `key` (string or
  * binary), `headers` (`array<struct<key:string,value:binary>>`), `topic`, `partition` and `timestamp`.
  *
  * Immutable. The same options can be set one by one on `format("stoplog-kafka")`; they are listed in
  * `docs/reference/kafka-options.md`.
  */
final class KafkaSink private (settings: KafkaSinkOptions) extends Configured(settings.toMap) {

  /** A stream writer with everything of the sink set; trigger and `start()` are the caller's.
    *
    * @param checkpointLocation where the query keeps its progress, and the sink its commit log
    */
  def writeStream(rows: DataFrame, checkpointLocation: String): DataStreamWriter[Row] =
    rows.writeStream
      .format(KafkaSink.Format)
      .options(settings.toMap)
      .option("checkpointLocation", checkpointLocation)

  /** A batch writer; ends with `save()`. Spark does not repeat a batch query: if the driver dies while it commits, some of
    * the rows are there, and no start will bring the rest.
    */
  def write(rows: DataFrame): DataFrameWriter[Row] =
    rows.write.format(KafkaSink.Format).options(settings.toMap).mode(SaveMode.Append)
}

object KafkaSink {

  /** The name for `format(…)` in a write without a builder. */
  val Format: String = "stoplog-kafka"

  /** Begins a sink.
    *
    * @param servers the brokers to ask first, as `host:port`, separated by commas
    */
  def to(servers: String): KafkaSinkBuilder = new KafkaSinkBuilder(
    Map(KafkaSinkOptionRegistry.Servers.key -> servers)
  )

  /** The sink that these options describe.
    *
    * @throws stoplog.error.StoplogArgumentException with all that is wrong with them at once
    */
  def fromOptions(options: JMap[String, String]): KafkaSink = new KafkaSink(KafkaSinkOptions.parse(options))

  /** The keys of all options there are, besides those of Kafka's own clients. */
  def optionKeys(): JList[String] = KafkaSinkOptionRegistry.all.map(_.key).asJava
}

/** Sets a [[KafkaSink]]. Immutable: each call answers a new builder. Nothing is checked before [[build]]. */
final class KafkaSinkBuilder private[kafka] (options: Map[String, String]) {

  /** The topic of all rows; without it, each row has its own in its column `topic`. */
  def withTopic(topic: String): KafkaSinkBuilder = withOption("topic", topic)

  /** `none`, `at-least-once` or `exactly-once`, which is the default. */
  def withDelivery(delivery: String): KafkaSinkBuilder = withOption("delivery", delivery)

  /** The name of a class that implements `org.apache.kafka.clients.producer.Partitioner`. */
  def withPartitioner(className: String): KafkaSinkBuilder = withOption("partitioner", className)

  /** The time after which the brokers abort a transaction that has not ended, such as `15m`, which is the default. */
  def withTransactionTimeout(timeout: String): KafkaSinkBuilder = withOption("transactionTimeout", timeout)

  /** `fail` or `skip`, when the brokers have aborted a transaction that is committed in the log. */
  def withOnLostTransaction(choice: String): KafkaSinkBuilder = withOption("onLostTransaction", choice)

  /** The beginning of all transactional ids; `stoplog` by default. */
  def withTransactionalIdPrefix(prefix: String): KafkaSinkBuilder =
    withOption("transactionalIdPrefix", prefix)

  /** The directory of the commit log; the checkpoint by default. */
  def withLogLocation(directory: String): KafkaSinkBuilder = withOption("logLocation", directory)

  /** The name of the log; sinks that share a log's location need one each. `main` by default. */
  def withSinkId(sinkId: String): KafkaSinkBuilder = withOption("sinkId", sinkId)

  /** `fail` or `adopt`. */
  def withOnForeignQuery(choice: String): KafkaSinkBuilder = withOption("onForeignQuery", choice)

  /** A setting of Kafka's producer, by its own name, such as `compression.type`. */
  def withProducerSetting(name: String, value: String): KafkaSinkBuilder = withOption(s"kafka.$name", value)

  /** Any option by its name. */
  def withOption(key: String, value: String): KafkaSinkBuilder = new KafkaSinkBuilder(
    options + (key -> value)
  )

  /** The sink.
    *
    * @throws stoplog.error.StoplogArgumentException with all that is wrong at once
    */
  def build(): KafkaSink = KafkaSink.fromOptions(options.asJava)
}
