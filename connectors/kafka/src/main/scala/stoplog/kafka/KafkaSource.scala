// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.{DataFrame, SparkSession}

import stoplog.Configured
import stoplog.error.Errors
import stoplog.kafka.client.KafkaErrors

/** Rows out of Kafka by Spark's own source, which is a good one: this only sets it.
  *
  * {{{
  * val orders = KafkaSource
  *   .builder("broker1:9092")
  *   .withTopics("orders")
  *   .startingFrom(StartPosition.group("billing", otherwise = Otherwise.Earliest))
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
  * @param settings options of `format("kafka")`
  * @param columns  SQL expressions over its columns
  */
final class KafkaSource private[kafka] (settings: Map[String, String], val columns: Seq[String])
    extends Configured(settings) {

  /** The records of a stream. A query that has a checkpoint goes on from there, and not from the starting position.
    *
    * Error: `STOPLOG_KAFKA_SOURCE_MISSING`.
    */
  def readStream(spark: SparkSession): DataFrame = {
    SparkKafka.require()
    spark.readStream.format(SparkKafka.Format).options(settings).load().selectExpr(columns: _*)
  }

  /** The records that are there now. Spark refuses to begin at the latest offsets; limits mean nothing.
    *
    * Error: `STOPLOG_KAFKA_SOURCE_MISSING`.
    */
  def read(spark: SparkSession): DataFrame = {
    SparkKafka.require()
    spark.read.format(SparkKafka.Format).options(settings).load().selectExpr(columns: _*)
  }

  override def equals(other: Any): Boolean = other match {
    case that: KafkaSource => super.equals(that) && columns == that.columns
    case _                 => false
  }

  override def hashCode: Int = (options(), columns).hashCode
}

object KafkaSource {

  /** Begins a source.
    *
    * @param servers the brokers to ask first, as `host:port`, separated by commas
    */
  def builder(servers: String): KafkaSourceBuilder = KafkaSourceBuilder(servers)

  /** The offsets that a consumer group has committed, as Spark's option `startingOffsets`; for Python.
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

  /** The start of a query without a checkpoint. By default it is Spark's: a stream begins at the latest
    * offsets, a batch query at the earliest.
    */
  def startingFrom(position: StartPosition): KafkaSourceBuilder =
    new KafkaSourceBuilder(options, selections, Some(position), key, value)

  /** The most records that a micro-batch reads. */
  def withMaxOffsetsPerTrigger(records: Long): KafkaSourceBuilder =
    withOption("maxOffsetsPerTrigger", records.toString)

  /** The records that a micro-batch waits for.
    *
    * @param maxDelay for how long it waits at most, such as `5m`; 15 minutes by default
    */
  def withMinOffsetsPerTrigger(records: Long, maxDelay: String = "15m"): KafkaSourceBuilder =
    withOption("minOffsetsPerTrigger", records.toString).withOption("maxTriggerDelay", maxDelay)

  /** The conversion of keys; they stay bytes by default. */
  def withKey(decoder: Decoder): KafkaSourceBuilder =
    new KafkaSourceBuilder(options, selections, position, decoder, value)

  /** The conversion of values; they stay bytes by default. */
  def withValue(decoder: Decoder): KafkaSourceBuilder =
    new KafkaSourceBuilder(options, selections, position, key, decoder)

  /** A setting of Kafka's consumer, by its own name, such as `security.protocol`. */
  def withConsumerSetting(name: String, value: String): KafkaSourceBuilder = withOption(s"kafka.$name", value)

  /** Any option of Spark's source, by its name. */
  def withOption(key: String, value: String): KafkaSourceBuilder =
    new KafkaSourceBuilder(options + (key -> value), selections, position, this.key, this.value)

  /** The source. It asks a consumer group for its offsets now.
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

/** The conversion of the bytes of a key or a value, as a SQL expression. */
final class Decoder private (expression: String => String) extends Serializable {

  /** For a column of bytes. */
  def of(column: String): String = expression(column)
}

object Decoder {

  /** The bytes as they are. */
  val binary: Decoder = new Decoder(column => column)

  /** Text in UTF-8. */
  val string: Decoder = new Decoder(column => s"CAST($column AS STRING)")

  /** An object of JSON, as a struct.
    *
    * @param schema  of the struct, such as `id BIGINT, item STRING`
    * @param options of Spark's `from_json`, such as `mode` -> `FAILFAST`; by default what cannot be read is null
    */
  def json(schema: String, options: Map[String, String] = Map.empty): Decoder =
    new Decoder(column => s"from_json(CAST($column AS STRING), ${text(schema)}${more(options)})")

  /** A record of Avro without any header, as a struct. Needs Spark's Avro module (`org.apache.spark:spark-avro`).
    *
    * @param schema  of Avro, as JSON: the one that the values were written with
    * @param options of Spark's `from_avro`. By default a value that cannot be read fails the query; with `mode` ->
    *                `PERMISSIVE` all fields of its struct are null.
    */
  def avro(schema: String, options: Map[String, String] = Map.empty): Decoder =
    new Decoder(column => s"from_avro($column, ${text(schema)}${more(options)})")

  /** A SQL expression of one's own.
    *
    * @param sql with `{}` wherever the column is to stand, such as `unhex(cast({} as string))`
    */
  def sql(sql: String): Decoder = new Decoder(column => sql.replace("{}", column))

  private def more(options: Map[String, String]): String =
    if (options.isEmpty) ""
    else
      options.toSeq.sorted
        .flatMap { case (key, value) => Seq(text(key), text(value)) }
        .mkString(", map(", ", ", ")")

  private def text(value: String): String = s"'${value.replace("\\", "\\\\").replace("'", "\\'")}'"
}
