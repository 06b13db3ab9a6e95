// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

import java.nio.file.Files
import java.sql.Timestamp
import java.util.{Map => JMap}

import scala.util.Using

import org.apache.kafka.clients.consumer.OffsetAndMetadata
import org.apache.kafka.clients.producer.{KafkaProducer, ProducerRecord}
import org.apache.kafka.common.TopicPartition
import org.apache.spark.sql.Row
import org.apache.spark.sql.streaming.Trigger
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.error.StoplogArgumentException
import stoplog.format.SparkSessionForTests
import stoplog.kafka.StartPosition.Otherwise
import stoplog.kafka.transaction.TransactionalProducer
import stoplog.thread.Clock

/** Spark's own source as this builder sets it, against a real broker. */
class KafkaSourceSuite extends AnyFunSuite with SparkSessionForTests {
  private val broker = Broker.shared

  // Records that are as old as the clock's beginning would not be kept.
  private val begun = Clock.system.millis() - 60000

  test("earliest, offsets and timestamps set the start position") {
    val topic = written("source-start", 0 -> "a", 1 -> "b", 2 -> "c")
    assert(read(_.withTopics(topic).startingFrom(StartPosition.Earliest)) === Seq("a", "b", "c"))
    val second = StartPosition.offsets(Map(topic -> Map(0 -> 1L)))
    assert(read(_.withTopics(topic).startingFrom(second)) === Seq("b", "c"))
    assert(read(_.withTopics(topic).startingFrom(StartPosition.timestamp(begun + 2000))) === Seq("c"))
    assert(read(_.withTopics(topic).startingFrom(StartPosition.timestamp(begun + 9000))) === Nil)
  }

  test("rejects another spelling of an option, which Spark ignores") {
    def problem(key: String) =
      intercept[StoplogArgumentException](read(_.withTopics("t").withOption(key, "earliest"))).getMessage
    assert(problem("starting_offsets").contains("starting_offsets is not an option: use startingOffsets."))
    assert(problem("auto.offset.reset").contains("use startingOffsets."))
    assert(problem("isolation.level").contains("use kafka.isolation.level."))
  }

  test("rejects a second start, and an option in two spellings") {
    def problem(build: KafkaSourceBuilder => KafkaSourceBuilder) = {
      val e = intercept[StoplogArgumentException](build(KafkaSource.builder("b:1").withTopics("t")).build())
      assert(e.getCondition === "STOPLOG_INVALID_OPTIONS")
      e.getMessage
    }
    for {
      key      <- Seq("startingOffsets", "STARTINGTIMESTAMP", "startingOffsetsByTimestamp")
      position <- Seq(StartPosition.Earliest, StartPosition.timestamp(1), StartPosition.group("g"))
    } assert(
      problem(_.startingFrom(position).withOption(key, "1"))
        .contains(s"$key and startingFrom: a source has one start; remove one of the two.")
    )
    assert(
      problem(_.withOption("startingOffsets", "latest").withOption("startingoffsets", "earliest"))
        .contains("startingOffsets and startingoffsets are the same option; use one spelling.")
    )
  }

  test("a stream from the latest offsets reads later records only") {
    val topic = written("source-latest", 0 -> "a")
    val place = Files.createTempDirectory("stoplog-kafka-source")
    val query = stream(_.withTopics(topic).startingFrom(StartPosition.Latest), "latest")
      .option("checkpointLocation", place.toString)
      .start()
    try {
      query.processAllAvailable()
      write(topic, 1 -> "b")
      query.processAllAvailable()
      assert(spark.table("latest").collect().map(_.getString(0)).toSeq === Seq("b"))
    } finally query.stop()
  }

  test("a consumer group sets the start position, with a configured fallback") {
    val topic = broker.createTopic("source-group", partitions = 2)
    write(topic, 0 -> "a", 1 -> "b", 2 -> "c")
    commit("source-group-id", topic, partition = 0, offset = 2)
    def from(otherwise: Otherwise) = read(
      _.withTopics(topic).startingFrom(StartPosition.group("source-group-id", otherwise))
    )
    assert(from(Otherwise.Earliest) === Seq("c"))
    val refused = intercept[StoplogArgumentException](from(Otherwise.Fail))
    assert(refused.getCondition === "STOPLOG_KAFKA_GROUP")
    assert(refused.getMessage.contains("the group has committed no offset of source-group-1"))
    val byPattern = KafkaSource
      .builder(broker.servers)
      .withTopicPattern("source-gr.*p")
      .startingFrom(StartPosition.group("source-group-id", Otherwise.Latest))
      .build()
    assert(byPattern.options().get("startingOffsets") === """{"source-group":{"0":2,"1":-1}}""")
  }

  test("reports a missing group or topic by name") {
    val group = StartPosition.group("nobody", Otherwise.Earliest)
    for (
      build <- Seq[KafkaSourceBuilder => KafkaSourceBuilder](
        _.withTopics("source-nowhere"),
        _.withTopicPattern("nowhere")
      )
    )
      assert(intercept[StoplogArgumentException] {
        build(KafkaSource.builder(broker.servers)).startingFrom(group).build()
      }.getCondition === "STOPLOG_KAFKA_GROUP")
  }

  test("unknown brokers and refused settings of a group's client are reported by name") {
    val group = StartPosition.group("nobody", Otherwise.Earliest)
    for (
      (source, word) <- Seq(
        KafkaSource.builder("no.such.host.invalid:9092") -> "no.such.host.invalid",
        KafkaSource
          .builder(broker.servers)
          .withOption("kafka.security.protocol", "SSSL") -> "security.protocol"
      )
    ) {
      val refused = intercept[StoplogArgumentException](source.withTopics("t").startingFrom(group).build())
      assert(refused.getCondition === "STOPLOG_KAFKA_GROUP")
      assert(refused.getMessage.contains(word), refused.getMessage)
    }
  }

  test("a pattern subscribes to matching topics, and given partitions limit the read", LongRun.Only) {
    written("source-pattern-a", 0 -> "a")
    val two   = broker.createTopic("source-pattern-b", partitions = 2)
    write(two, 1, 0               -> "b")
    write(two, 0, 0               -> "c")
    val start = StartPosition.Earliest
    assert(read(_.withTopicPattern("source-pattern-.").startingFrom(start)) === Seq("a", "b", "c"))
    assert(read(_.withPartitions(Map(two -> Seq(1))).startingFrom(start)) === Seq("b"))
  }

  test("reads only committed records unless configured otherwise") {
    val topic = written("source-committed", 0 -> "a")
    Using.resource(new TransactionalProducer(broker.settings(), "source-open", Clock.system).begin()) {
      open =>
        open.send(new ProducerRecord(topic, "b".getBytes))
        open.prepare(None)
        assert(read(_.withTopics(topic)) === Seq("a"))
        val all = read(_.withTopics(topic).withConsumerSetting("isolation.level", "read_uncommitted"))
        assert(all === Seq("a", "b"))
        open.abort()
    }
  }

  test("decoders create key and value columns, and a limit splits micro-batches", LongRun.Only) {
    val topic = written("source-decoded", 0 -> """{"id": 1, "item": "it's"}""", 1 -> """{"id": 2}""")
    val rows  = KafkaSource
      .builder(broker.servers)
      .withTopics(topic)
      .startingFrom(StartPosition.Earliest)
      .withMaxOffsetsPerTrigger(1)
      .withKey(Decoder.string)
      .withValue(Decoder.json("id BIGINT, item STRING", Map("mode" -> "FAILFAST")))
      .build()
      .readStream(spark)
    assert(
      rows.columns.toSeq === Seq("key", "value", "topic", "partition", "offset", "timestamp", "timestampType",
        "headers")
    )
    val query = rows
      .selectExpr("key", "value.*")
      .writeStream
      .format("memory")
      .queryName("decoded")
      .trigger(Trigger.AvailableNow())
      .start()
    query.awaitTermination()
    assert(query.recentProgress.count(_.numInputRows > 0) === 2)
    val found = spark.table("decoded").orderBy("id").collect().map(_.toString).toSeq
    assert(found === Seq("[k,1,it's]", "[k,2,null]"))
  }

  test("decoders convert bytes with any schema and options") {
    val bytes = spark.sql("""SELECT encode('{"it\'s": 1.50, "at": "it\'s 2026"}', 'UTF-8') AS value""")
    def read(decoder: Decoder): Any = bytes.selectExpr(decoder.of("value")).head().get(0)
    val text                        = """{"it's": 1.50, "at": "it's 2026"}"""
    assert(read(Decoder.binary).asInstanceOf[Array[Byte]] === text.getBytes("UTF-8"))
    assert(read(Decoder.string) === text)
    assert(read(Decoder.sql("length({}) + octet_length({})")) === 2 * text.length)
    assert(read(Decoder.json("`it's` DOUBLE")) === Row(1.5))
    val quoted = Map("timestampFormat" -> "'it''s' yyyy")
    assert(read(Decoder.json("at TIMESTAMP", quoted)) === Row(Timestamp.valueOf("2026-01-01 00:00:00")))
  }

  test("requires exactly one subscription") {
    for (
      build <- Seq[KafkaSourceBuilder => KafkaSourceBuilder](
        identity,
        _.withTopics("a").withTopicPattern("b")
      )
    )
      intercept[StoplogArgumentException](build(KafkaSource.builder(broker.servers)).build())
  }

  test("without Spark's Kafka module, the error names artifact and version") {
    val thread = Thread.currentThread
    val usual  = thread.getContextClassLoader
    thread.setContextClassLoader(ClassLoader.getPlatformClassLoader)
    try {
      val missing = intercept[StoplogArgumentException](SparkKafka.require())
      assert(missing.getMessage.contains("to include org.apache.spark:spark-sql-kafka-0-10_2.13:4."))
    } finally thread.setContextClassLoader(usual)
  }

  private def read(build: KafkaSourceBuilder => KafkaSourceBuilder): Seq[String] =
    source(build).read(spark).select("value").collect().map(_.getString(0)).toSeq.sorted

  private def stream(build: KafkaSourceBuilder => KafkaSourceBuilder, name: String) =
    source(build).readStream(spark).select("value").writeStream.format("memory").queryName(name)

  private def source(build: KafkaSourceBuilder => KafkaSourceBuilder): KafkaSource =
    build(KafkaSource.builder(broker.servers)).withValue(Decoder.string).build()

  /** A new topic with these records, their times in seconds from the beginning. */
  private def written(topic: String, records: (Int, String)*): String = {
    broker.createTopic(topic)
    write(topic, records: _*)
    topic
  }

  private def write(topic: String, records: (Int, String)*): Unit = write(topic, 0, records: _*)

  private def write(topic: String, partition: Int, records: (Int, String)*): Unit =
    Using.resource(new KafkaProducer[Array[Byte], Array[Byte]](broker.settings().plain)) { producer =>
      for ((second, value) <- records)
        producer.send(
          new ProducerRecord(topic, partition, Long.box(begun + second * 1000L), "k".getBytes, value.getBytes)
        )
    }

  private def commit(group: String, topic: String, partition: Int, offset: Long): Unit = broker.withAdmin {
    admin =>
      val offsets = JMap.of(new TopicPartition(topic, partition), new OffsetAndMetadata(offset))
      admin.alterConsumerGroupOffsets(group, offsets).all().get()
  }
}
