// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

import stoplog.error.Errors

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
