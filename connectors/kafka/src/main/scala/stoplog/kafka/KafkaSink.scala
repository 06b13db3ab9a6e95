// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

import java.util.{List => JList, Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, DataFrameWriter, Row, SaveMode}
import org.apache.spark.sql.streaming.DataStreamWriter

import stoplog.error.Redaction
import stoplog.kafka.options.{KafkaSinkOptionRegistry, KafkaSinkOptions}

/** Rows into Kafka, each of them exactly once for who reads committed records: the sink, fully set.
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
final class KafkaSink private (settings: KafkaSinkOptions) {

  /** The options that stand for this sink, those at their defaults left out. */
  def options(): JMap[String, String] = settings.toMap.asJava

  /** A stream writer with everything of the sink set; trigger and `start()` are the caller's.
    *
    * @param checkpointLocation where the query keeps its progress, and the sink its commit log
    */
  def writeStream(rows: DataFrame, checkpointLocation: String): DataStreamWriter[Row] =
    rows.writeStream
      .format(KafkaSink.Format)
      .options(settings.toMap)
      .option("checkpointLocation", checkpointLocation)

  /** A batch writer; ends with `save()`. Nobody repeats a batch query: if the driver dies while it commits, some of the
    * rows are there, and no start will bring the rest.
    */
  def write(rows: DataFrame): DataFrameWriter[Row] =
    rows.write.format(KafkaSink.Format).options(settings.toMap).mode(SaveMode.Append)

  override def equals(other: Any): Boolean = other match {
    case that: KafkaSink => options() == that.options()
    case _               => false
  }

  override def hashCode: Int = options().hashCode

  override def toString: String = Redaction.options("KafkaSink", settings.toMap)
}

object KafkaSink {

  /** What to give to `format(…)` for a write without a builder. */
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
