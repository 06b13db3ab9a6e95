// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

import java.util.{Locale, Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.{DataFrame, SparkSession}

import stoplog.Configured
import stoplog.error.Errors
import stoplog.kafka.client.KafkaErrors
import stoplog.options.OtherNames

/** Reads rows from Kafka with Spark's own source. This class only configures the source.
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
  * The columns are `key`, `value`, `topic`, `partition`, `offset`, `timestamp`, `timestampType` and
  * `headers`. Decoders define `key` and `value`. Only committed records are read, unless `isolation.level` is
  * set to another value. New partitions, and new topics of a pattern, are read from their start as soon as
  * Spark discovers the partitions.
  *
  * Immutable.
  *
  * @param settings options of `format("kafka")`
  * @param columns  SQL expressions over the columns of the source
  */
final class KafkaSource private[kafka] (settings: Map[String, String], val columns: Seq[String])
    extends Configured(settings) {

  /** Returns the records as a stream. A query with a checkpoint ignores the start position and resumes there.
    *
    * Error: `STOPLOG_JAR_MISSING`.
    */
  def readStream(spark: SparkSession): DataFrame = {
    SparkKafka.require()
    spark.readStream.format(SparkKafka.Format).options(settings).load().selectExpr(columns: _*)
  }

  /** Returns the records currently available. Spark rejects the latest offsets as a start and ignores limits.
    *
    * Error: `STOPLOG_JAR_MISSING`.
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

  /** Starts a source builder.
    *
    * @param servers the bootstrap brokers, as `host:port`, separated by commas
    */
  def builder(servers: String): KafkaSourceBuilder = KafkaSourceBuilder(servers)

  /** Returns a consumer group's committed offsets, in the format of Spark's `startingOffsets`; for Python.
    *
    * Error: `STOPLOG_KAFKA_GROUP`.
    *
    * @param client    settings of Kafka's client, by their Kafka names
    * @param selection Spark's option `subscribe`, `subscribePattern` or `assign`, with its value
    * @param otherwise the start of a partition without a committed offset: `earliest`, `latest` or `fail`
    */
  def groupOffsets(
      client: JMap[String, String],
      group: String,
      selection: JMap[String, String],
      otherwise: String
  ): String =
    new ConsumerGroup(client.asScala.toMap, group)
      .startingOffsets(selection.asScala.toMap, StartPosition.Otherwise.named(otherwise))

  /** Checks whether Spark's own source is available; for Python. Error: `STOPLOG_JAR_MISSING`. */
  def requireSpark(): Unit = SparkKafka.require()
}

/** Spark's own Kafka module, which is not part of Spark's distribution. */
private[kafka] object SparkKafka {
  val Format = "kafka"

  /** Throws `STOPLOG_JAR_MISSING`, with the required artifact, if the module is missing. */
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

/** Builds a [[KafkaSource]]. Immutable: each call returns a new builder. Only [[build]] validates options and
  * contacts brokers.
  */
final class KafkaSourceBuilder private (
    options: Map[String, String],
    selections: Map[String, String],
    position: Option[StartPosition],
    key: Decoder,
    value: Decoder
) {

  /** Reads all partitions of these topics, including partitions added later. */
  def withTopics(topics: String*): KafkaSourceBuilder = selecting("subscribe", topics.mkString(","))

  /** Reads all topics whose full names match a Java regular expression, including topics added later. */
  def withTopicPattern(regex: String): KafkaSourceBuilder = selecting("subscribePattern", regex)

  /** Reads only these partitions, by topic. */
  def withPartitions(partitions: Map[String, Seq[Int]]): KafkaSourceBuilder =
    selecting("assign", Offsets.assignment(partitions))

  /** Sets the start position of a query without a checkpoint. The default is Spark's: the latest offsets for
    * a stream, the earliest offsets for a batch query.
    */
  def startingFrom(position: StartPosition): KafkaSourceBuilder =
    new KafkaSourceBuilder(options, selections, Some(position), key, value)

  /** Sets the maximum number of records in a micro-batch. */
  def withMaxOffsetsPerTrigger(records: Long): KafkaSourceBuilder =
    withOption("maxOffsetsPerTrigger", records.toString)

  /** Sets the number of records for which a micro-batch waits.
    *
    * @param maxDelay the maximum wait, such as `5m`; 15 minutes by default
    */
  def withMinOffsetsPerTrigger(records: Long, maxDelay: String = "15m"): KafkaSourceBuilder =
    withOption("minOffsetsPerTrigger", records.toString).withOption("maxTriggerDelay", maxDelay)

  /** Sets the conversion of keys; keys remain bytes by default. */
  def withKey(decoder: Decoder): KafkaSourceBuilder =
    new KafkaSourceBuilder(options, selections, position, decoder, value)

  /** Sets the conversion of values; values remain bytes by default. */
  def withValue(decoder: Decoder): KafkaSourceBuilder =
    new KafkaSourceBuilder(options, selections, position, key, decoder)

  /** Sets a setting of Kafka's consumer, by its Kafka name, such as `security.protocol`. */
  def withConsumerSetting(name: String, value: String): KafkaSourceBuilder = withOption(s"kafka.$name", value)

  /** Sets any option of Spark's source, by its name. */
  def withOption(key: String, value: String): KafkaSourceBuilder =
    new KafkaSourceBuilder(options + (key -> value), selections, position, this.key, this.value)

  /** Builds the source. If the start position is a consumer group, reads the group's offsets from the
    * brokers.
    *
    * Errors: `STOPLOG_INVALID_OPTIONS`, `STOPLOG_KAFKA_GROUP`.
    */
  def build(): KafkaSource = {
    if (selections.size != 1)
      throw Errors.invalidOptions(
        Seq("call exactly one of withTopics, withTopicPattern and withPartitions.")
      )
    // Spark ignores unknown options: a misspelled position would skip records.
    val names    = OtherNames.ofConnector("kafkaSource")
    val problems = options.keys.toSeq.sorted.flatMap(names.problem) ++ twoStarts ++ repeated
    if (problems.nonEmpty) throw Errors.invalidOptions(problems)
    val columns = Seq(s"${key.of("key")} AS key", s"${value.of("value")} AS value") ++ KafkaSourceBuilder.Kept
    new KafkaSource(options ++ selections ++ position.fold(Map.empty[String, String])(starting), columns)
  }

  /** Spark uses one of several options for a start, and ignores the others. */
  private def twoStarts: Seq[String] = for {
    _   <- position.toSeq
    key <- options.keys.toSeq.sorted
    if KafkaSourceBuilder.Starts(key.toLowerCase(Locale.ROOT))
  } yield s"$key and startingFrom: a source has one start; remove one of the two."

  /** Spark ignores the case of names, and uses one of several values. */
  private def repeated: Seq[String] =
    options.keys.toSeq.sorted.groupBy(_.toLowerCase(Locale.ROOT)).values.toSeq.collect {
      case same if same.sizeIs > 1 => s"${same.mkString(" and ")} are the same option; use one spelling."
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
      // Without the second option, a query fails if a partition has no record at or after the timestamp.
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

  private val Starts = Set("startingoffsets", "startingtimestamp", "startingoffsetsbytimestamp")

  private val Kept = Seq("topic", "partition", "offset", "timestamp", "timestampType", "headers")
}

/** The conversion of a key's or a value's bytes, as a SQL expression. */
final class Decoder private (expression: String => String) extends Serializable {

  /** Returns the expression for a column of bytes. */
  def of(column: String): String = expression(column)
}

object Decoder {

  /** Leaves the bytes unchanged. */
  val binary: Decoder = new Decoder(column => column)

  /** Decodes UTF-8 text. */
  val string: Decoder = new Decoder(column => s"CAST($column AS STRING)")

  /** Decodes a JSON object as a struct.
    *
    * @param schema  the schema of the struct, such as `id BIGINT, item STRING`
    * @param options options of Spark's `from_json`, such as `mode` -> `FAILFAST`; by default, unreadable
    *                values are null
    */
  def json(schema: String, options: Map[String, String] = Map.empty): Decoder =
    new Decoder(column => s"from_json(CAST($column AS STRING), ${text(schema)}${more(options)})")

  /** Decodes an Avro record without any header as a struct. Requires Spark's Avro module
    * (`org.apache.spark:spark-avro`).
    *
    * @param schema  the Avro schema of the written values, as JSON
    * @param options options of Spark's `from_avro`. By default, an unreadable value fails the query. With
    *                `mode` -> `PERMISSIVE`, all fields of its struct are null.
    */
  def avro(schema: String, options: Map[String, String] = Map.empty): Decoder =
    new Decoder(column => s"from_avro($column, ${text(schema)}${more(options)})")

  /** Decodes with a user-defined SQL expression.
    *
    * @param sql an expression with `{}` in place of the column, such as `unhex(cast({} as string))`
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
