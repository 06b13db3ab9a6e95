// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.{DataFrame, SparkSession}

import stoplog.error.{Errors, Redaction}
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

/** Sets a [[KafkaSource]]. Immutable: each call answers a new builder. Nothing is asked or checked before [[build]]. */
final class KafkaSourceBuilder private (
    options: Map[String, String],
    selections: Map[String, String],
    position: Option[StartPosition],
    key: Decoder,
    value: Decoder
) {

  /** All partitions of these topics, those that are added later, too. */
  def withTopics(topics: String*): KafkaSourceBuilder = selecting("subscribe", topics.mkString(","))

  /** All topics whose whole names match a regular expression of Java, those that are added later, too. */
  def withTopicPattern(regex: String): KafkaSourceBuilder = selecting("subscribePattern", regex)

  /** These partitions and no others, by topic. */
  def withPartitions(partitions: Map[String, Seq[Int]]): KafkaSourceBuilder =
    selecting("assign", Offsets.assignment(partitions))

  /** Where to begin when there is no checkpoint. Without it, Spark's default holds: a stream begins at the latest
    * offsets, a batch query at the earliest.
    */
  def startingFrom(position: StartPosition): KafkaSourceBuilder =
    new KafkaSourceBuilder(options, selections, Some(position), key, value)

  /** How many records a micro-batch reads at most. */
  def withMaxOffsetsPerTrigger(records: Long): KafkaSourceBuilder =
    withOption("maxOffsetsPerTrigger", records.toString)

  /** For how many records a micro-batch waits.
    *
    * @param maxDelay for how long it waits at most, such as `5m`; 15 minutes by default
    */
  def withMinOffsetsPerTrigger(records: Long, maxDelay: String = "15m"): KafkaSourceBuilder =
    withOption("minOffsetsPerTrigger", records.toString).withOption("maxTriggerDelay", maxDelay)

  /** What becomes of keys; they stay bytes by default. */
  def withKey(decoder: Decoder): KafkaSourceBuilder =
    new KafkaSourceBuilder(options, selections, position, decoder, value)

  /** What becomes of values; they stay bytes by default. */
  def withValue(decoder: Decoder): KafkaSourceBuilder =
    new KafkaSourceBuilder(options, selections, position, key, decoder)

  /** A setting of Kafka's consumer, by its own name, such as `security.protocol`. */
  def withConsumerSetting(name: String, value: String): KafkaSourceBuilder = withOption(s"kafka.$name", value)

  /** Any option of Spark's source, by its name. */
  def withOption(key: String, value: String): KafkaSourceBuilder =
    new KafkaSourceBuilder(options + (key -> value), selections, position, this.key, this.value)

  /** The source. A consumer group is asked now where it is.
    *
    * Errors: `STOPLOG_INVALID_OPTIONS`, `STOPLOG_KAFKA_GROUP`.
    */
  def build(): KafkaSource = {
    if (selections.size != 1)
      throw Errors.invalidOptions(
        Seq("exactly one of withTopics, withTopicPattern and withPartitions says what is read.")
      )
    val columns = Seq(s"${key.of("key")} AS key", s"${value.of("value")} AS value") ++ KafkaSourceBuilder.Kept
    new KafkaSource(options ++ selections ++ position.fold(Map.empty[String, String])(starting), columns)
  }

  private def selecting(how: String, what: String): KafkaSourceBuilder =
    new KafkaSourceBuilder(options, selections + (how -> what), position, key, value)

  private def starting(position: StartPosition): Map[String, String] = position match {
    case StartPosition.Earliest                => Map("startingOffsets" -> "earliest")
    case StartPosition.Latest                  => Map("startingOffsets" -> "latest")
    case StartPosition.Offsets(offsets)        => Map("startingOffsets" -> Offsets.json(offsets))
    case StartPosition.Group(group, otherwise) =>
      Map("startingOffsets" -> new ConsumerGroup(client, group).startingOffsets(selections, otherwise))
    case StartPosition.Timestamp(millis) =>
      // Where nothing is as young, a query would fail without the second.
      Map("startingTimestamp" -> millis.toString, "startingOffsetsByTimestampStrategy" -> "latest")
  }

  private def client: Map[String, String] = options.collect {
    case (name, setting) if name.startsWith("kafka.") => name.stripPrefix("kafka.") -> setting
  }
}

private[kafka] object KafkaSourceBuilder {

  def apply(servers: String): KafkaSourceBuilder = new KafkaSourceBuilder(
    Map(
      "kafka.bootstrap.servers" -> servers,
      "kafka.isolation.level"   -> "read_committed",
      "includeHeaders"          -> "true"
    ),
    selections = Map.empty,
    position = None,
    Decoder.binary,
    Decoder.binary
  )

  private val Kept = Seq("topic", "partition", "offset", "timestamp", "timestampType", "headers")
}
