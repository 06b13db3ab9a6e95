// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.options

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.producer.{Partitioner, RoundRobinPartitioner}
import org.apache.kafka.common.Cluster
import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.{ForeignQuery, LostPart}
import stoplog.error.StoplogArgumentException
import stoplog.kafka.KafkaSink
import stoplog.options.LogOptions

class KafkaSinkOptionsSuite extends AnyFunSuite {

  test("brokers suffice, and all other options have defaults") {
    val parsed = parse()
    assert(parsed.delivery === Delivery.ExactlyOnce)
    assert(parsed.topic === None)
    assert(parsed.producer.transactionTimeoutMillis === 15 * 60000)
    assert(parsed.transactionalIdPrefix === "stoplog")
    assert(parsed.log === LogOptions(None, "main", ForeignQuery.Refuse, LostPart.Fail))
  }

  test("the log is in the checkpoint unless logLocation is set") {
    assert(parse("checkpointLocation" -> "/ck").log.location === Some("/ck"))
    assert(parse("checkpointLocation" -> "/ck", "logLocation" -> "/log").log.location === Some("/log"))
  }

  test("Kafka producer settings are passed without their prefix") {
    val producer = parse("kafka.compression.type" -> "zstd", "KAFKA.Linger.Ms" -> "20").producer
    assert(producer.plain.get("compression.type") === "zstd")
    assert(producer.plain.get("linger.ms") === "20")
    assert(producer.plain.get("bootstrap.servers") === "b:9092")
  }

  test("a transactional producer has fixed settings for exactly-once") {
    val settings = parse("transactionTimeout" -> "1m").producer.transactional("id-1")
    val fixed    = Map(
      "transactional.id"       -> "id-1",
      "transaction.timeout.ms" -> "60000",
      "acks"                   -> "all",
      "enable.idempotence"     -> "true"
    )
    for ((key, value) <- fixed) assert(settings.get(key) === value)
  }

  test("a transactional producer has larger batches, unless the user sets the size") {
    assert(parse().producer.transactional("id-1").get("batch.size") === "65536")
    assert(parse("kafka.batch.size" -> "16384").producer.transactional("id-1").get("batch.size") === "16384")
    assert(!parse().producer.plain.containsKey("batch.size"))
  }

  test("an admin client receives known connection settings only") {
    val admin = parse("kafka.security.protocol" -> "SSL", "kafka.linger.ms" -> "20").producer.admin
    val limit = "default.api.timeout.ms" -> "30000"
    assert(admin.asScala.toMap === Map("bootstrap.servers" -> "b:9092", "security.protocol" -> "SSL", limit))
    val longer = parse("kafka.default.api.timeout.ms" -> "40000").producer.admin
    assert(longer.get("default.api.timeout.ms") === "40000")
    assert(!parse("kafka.request.timeout.ms" -> "60000").producer.admin.containsKey("default.api.timeout.ms"))
  }

  test("all mistakes are reported together") {
    val message = refusal(
      "delivery"                     -> "twice",
      "sinkId"                       -> "a b",
      "transactionTimeout"           -> "15",
      "transactionalIdPrefix"        -> "a b",
      "topics"                       -> "t",
      "acks"                         -> "1",
      "kafka.transactional.id"       -> "mine",
      "kafka.transaction.timeout.ms" -> "1",
      "kafka.key.serializer"         -> "x",
      "kafka.partitioner.class"      -> "com.example.Nope",
      "partitioner"                  -> "com.example.Nope"
    )
    val told = Seq(
      "delivery = 'twice' is not one of none, at-least-once, exactly-once.", "sinkId = 'a b' must be 1 to 64",
      "transactionTimeout = '15' has no unit", "transactionalIdPrefix = 'a b' must be",
      "topics is not an option: did you mean topic?",
      "acks is a setting of Kafka's producer: write it as kafka.acks.",
      "kafka.transactional.id cannot be set",
      "kafka.transaction.timeout.ms cannot be set: use transactionTimeout.",
      "kafka.key.serializer cannot be set", "kafka.partitioner.class names com.example.Nope",
      "partitioner is not an option: use kafka.partitioner.class."
    )
    for (problem <- told) assert(message.contains(problem), message)
  }

  test("rejects missing brokers") {
    val thrown = intercept[StoplogArgumentException](KafkaSink.fromOptions(Map("topic" -> "t").asJava))
    assert(thrown.getMessage.contains("kafka.bootstrap.servers is missing."))
  }

  test("exactly-once rejects unsafe producer settings, and other deliveries accept these settings") {
    val weaker = Seq("kafka.acks" -> "1", "kafka.enable.idempotence" -> "false")
    for (setting <- weaker) {
      assert(refusal(setting).contains("would lose or duplicate rows"))
      for (delivery <- Seq("none", "at-least-once")) parse(setting, "delivery" -> delivery)
    }
    parse("kafka.acks" -> "-1", "kafka.enable.idempotence" -> "TRUE")
  }

  test("at-least-once rejects acks=0, with which no lost record is noticed") {
    val message = refusal("kafka.acks" -> " 0", "delivery" -> "at-least-once")
    assert(message.contains("kafka.acks = '0' would silently lose rows"), message)
    parse("kafka.acks" -> "0", "delivery" -> "none")
  }

  test("rejects a misspelled setting of the client, and passes settings of custom classes") {
    for ((wrong, right) <- Seq("lingr.ms" -> "linger.ms", "security.protocl" -> "security.protocol"))
      assert(refusal(s"kafka.$wrong" -> "1").contains(s"did you mean kafka.$right?"))
    parse("kafka.my.interceptor.topic" -> "audit", "kafka.schema.registry.url" -> "http://host")
  }

  test("rejects settings on which the commit of transactions rests") {
    for (
      key <- Seq("transactional.id", "transaction.timeout.ms", "transaction.two.phase.commit.enable",
        "key.serializer", "value.serializer")
    ) assert(refusal(s"kafka.$key" -> "1").contains(s"kafka.$key "))
  }

  test("transaction options have no effect with other deliveries") {
    val message = refusal("delivery" -> "at-least-once", "transactionTimeout" -> "1m", "sinkId" -> "a")
    for (key <- Seq("transactionTimeout", "sinkId"))
      assert(message.contains(s"$key has no effect with delivery = at-least-once: remove it."), message)
  }

  test("a partitioner is a custom class") {
    val name = classOf[RoundRobinPartitioner].getName
    assert(parse("kafka.partitioner.class" -> name).producer.plain.get("partitioner.class") === name)
    assert(refusal("kafka.partitioner.class" -> "java.lang.String").contains(classOf[Partitioner].getName))
    assert(
      parse("kafka.partitioner.class" -> classOf[FirstPartition].getName).producer.client
        .contains("partitioner.class")
    )
  }

  test("builder methods set their options, and the options recreate the sink") {
    val sink = KafkaSink
      .to("b:9092")
      .withTopic("t")
      .withDelivery("exactly-once")
      .withTransactionTimeout("10m")
      .withOnLostTransaction("skip")
      .withTransactionalIdPrefix("team-a")
      .withLogLocation("/log")
      .withSinkId("orders")
      .withOnForeignQuery("adopt")
      .withPartitioner("org.apache.kafka.clients.producer.RoundRobinPartitioner")
      .withProducerSetting("linger.ms", "20")
      .withProducerSetting("sasl.jaas.config", "hunter2")
      .build()
    assert(
      sink.options().asScala.toMap === Map(
        "kafka.bootstrap.servers" -> "b:9092",
        "topic"                   -> "t",
        "delivery"                -> "exactly-once",
        "transactionTimeout"      -> "10m",
        "onLostTransaction"       -> "skip",
        "transactionalIdPrefix"   -> "team-a",
        "logLocation"             -> "/log",
        "sinkId"                  -> "orders",
        "onForeignQuery"          -> "adopt",
        "kafka.partitioner.class" -> "org.apache.kafka.clients.producer.RoundRobinPartitioner",
        "kafka.linger.ms"         -> "20",
        "kafka.sasl.jaas.config"  -> "hunter2"
      )
    )
    assert(KafkaSink.fromOptions(sink.options()) === sink)
    assert(sink.toString.contains("topic=t") && !sink.toString.contains("hunter2"))
  }

  private def parse(options: (String, String)*): KafkaSinkOptions = KafkaSinkOptions.parse(all(options))

  private def refusal(options: (String, String)*): String =
    intercept[StoplogArgumentException](KafkaSinkOptions.parse(all(options))).getMessage

  private def all(options: Seq[(String, String)]): JMap[String, String] =
    (Map("kafka.bootstrap.servers" -> "b:9092") ++ options).asJava
}

/** A user's own. */
class FirstPartition extends Partitioner {
  override def partition(
      topic: String,
      key: Any,
      keyBytes: Array[Byte],
      value: Any,
      valueBytes: Array[Byte],
      cluster: Cluster
  ): Int = 0

  override def configure(settings: JMap[String, _]): Unit = ()

  override def close(): Unit = ()
}
