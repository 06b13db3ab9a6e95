// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.spark

import java.nio.file.Files
import java.time.Instant

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.streaming.{StreamingQueryException, Trigger}
import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Millis, Seconds, Span}

import stoplog.error.Thrown
import stoplog.format.SparkSessionForTests
import stoplog.kafka.{Broker, KafkaSink}
import stoplog.spark.LogCapture

/** The sink as a user of Spark sees it, against a real broker. */
class KafkaSinkSuite extends AnyFunSuite with SparkSessionForTests with Eventually {
  private val broker                                   = Broker.shared
  override implicit val patienceConfig: PatienceConfig = PatienceConfig(Span(120, Seconds), Span(100, Millis))

  private val deliveries = Seq("none", "at-least-once", "exactly-once")

  for (delivery <- deliveries)
    test(s"$delivery: a stream's rows appear once after the query ends") {
      val topic = broker.createTopic(s"sink-stream-$delivery", partitions = 2)
      val sink  = KafkaSink.to(broker.servers).withTopic(topic).withDelivery(delivery).build()
      val input = memory()
      val place = checkpoint()
      for (run <- 1 to 3) {
        input.addData(s"$run a", s"$run b", s"$run c")
        complete(sink, input.toDF(), place)
      }
      assert(broker.committed(topic).sorted === (for {
        run    <- 1 to 3
        letter <- Seq("a", "b", "c")
      } yield s"$run $letter"))
      assert(!broker.isHeldUp(topic))
    }

  for (delivery <- deliveries)
    test(s"$delivery: a batch query appends its rows") {
      val topic = broker.createTopic(s"sink-batch-$delivery")
      val sink  = KafkaSink.to(broker.servers).withTopic(topic).withDelivery(delivery).build()
      for (row <- Seq("a", "b")) sink.write(spark.sql(s"SELECT '$row' AS value")).save()
      assert(broker.committed(topic) === Seq("a", "b"))
    }

  test("row columns set key, value, headers, topic, partition and timestamp") {
    val topic = broker.createTopic("sink-columns", partitions = 3)
    val rows  = spark.sql(
      s"""SELECT 'k' AS key, CAST('v' AS binary) AS value, '$topic' AS topic, 2 AS partition,
         |  timestamp'2026-03-01 12:00:00.123456' AS timestamp, 'ignored' AS other,
         |  array(named_struct('key', 'h', 'value', CAST('1' AS binary)),
         |        named_struct('key', 'h', 'value', CAST(null AS binary))) AS headers
         |UNION ALL SELECT null, null, '$topic', 0, null, null, null""".stripMargin
    )
    KafkaSink.to(broker.servers).build().write(rows).save()
    val records = broker.records(topic).map(r => r.partition -> r).toMap
    val full    = records(2)
    val empty   = records(0)
    assert((full.key, full.value, full.partition) === (("k", "v", 2)))
    assert(full.timestamp === Instant.parse("2026-03-01T12:00:00.123Z").toEpochMilli)
    val headers = full.headers.toArray.toSeq
    assert(headers.map(_.key) === Seq("h", "h"))
    assert(headers.map(h => Option(h.value).map(new String(_))) === Seq(Some("1"), None))
    assert((empty.key, empty.value, empty.headers.toArray.length) === ((null, null, 0)))
  }

  test("the option topic overrides the column") {
    val topic = broker.createTopic("sink-topic")
    val rows  = spark.sql("SELECT 'a' AS value, 'nowhere' AS topic")
    KafkaSink.to(broker.servers).withTopic(topic).build().write(rows).save()
    assert(broker.committed(topic) === Seq("a"))
  }

  test("a row without a topic fails the query and publishes nothing") {
    val topic = broker.createTopic("sink-null")
    val rows  = spark.sql(s"SELECT 'a' AS value, '$topic' AS topic UNION ALL SELECT 'b', null").coalesce(1)
    val lost  = intercept[Exception](KafkaSink.to(broker.servers).build().write(rows).save())
    assert(Thrown.conditions(lost).contains("STOPLOG_NULL_VALUE"))
    assert(broker.committed(topic) === Nil)
    assert(!broker.isHeldUp(topic))
  }

  test("reports unreachable brokers by name") {
    val sink = KafkaSink.to("no.such.host.invalid:9092").withTopic("lost").build()
    val lost = intercept[Exception](sink.write(spark.sql("SELECT 'a' AS value")).save())
    assert(Thrown.conditions(lost).contains("STOPLOG_UNREACHABLE"), lost)
    assert(lost.getMessage.contains("no.such.host.invalid"))
  }

  for (delivery <- deliveries)
    test(s"$delivery: settings that Kafka's producer refuses are reported by name at the start") {
      for (
        (settings, word) <- Seq(
          Map("kafka.linger.ms" -> "soon")                                  -> "linger.ms",
          Map("kafka.delivery.timeout.ms" -> "1", "kafka.linger.ms" -> "5") -> "delivery.timeout.ms",
          Map("kafka.compression.type" -> "rar")                            -> "compression.type",
          Map("kafka.interceptor.classes" -> "com.example.Nope")            -> "com.example.Nope",
          Map(
            "kafka.security.protocol"       -> "SSL",
            "kafka.ssl.truststore.location" -> "/nowhere/trust.jks"
          ) -> "trust.jks"
        )
      ) {
        val sink = KafkaSink.to(broker.servers).withTopic("refused").withDelivery(delivery)
        val made =
          settings.foldLeft(sink) { case (sink, (key, value)) => sink.withOption(key, value) }.build()
        val refused = intercept[Exception](made.write(spark.sql("SELECT 'a' AS value")).save())
        assert(Thrown.conditions(refused) === Seq("STOPLOG_INVALID_OPTIONS"), settings)
        assert(refused.getMessage.contains(word), refused.getMessage)
      }
    }

  for (delivery <- Seq("none", "at-least-once"))
    test(s"$delivery: unreachable brokers are reported by name") {
      val sink = KafkaSink.to("no.such.host.invalid:9092").withTopic("lost").withDelivery(delivery).build()
      val lost = intercept[Exception](sink.write(spark.sql("SELECT 'a' AS value")).save())
      assert(Thrown.conditions(lost).contains("STOPLOG_REQUEST_FAILED"), lost)
      assert(lost.getMessage.contains("no.such.host.invalid"))
    }

  test("a row that is not a valid Kafka record fails by name for every delivery") {
    val rows = Seq(
      "array(null) AS headers"                                         -> "header 1 is null",
      "array(struct(null AS key, X'00' AS value)) AS headers"          -> "the key of header 1 is null",
      "array(struct(string(X'FF') AS key, X'00' AS value)) AS headers" -> "header 1 is not valid UTF-8",
      "-1 AS partition"                                                -> "partition",
      "TIMESTAMP'1969-12-31 00:00:00' AS timestamp"                    -> "timestamp"
    )
    val headers = "array<struct<key: string, value: binary>>"
    for {
      delivery       <- deliveries
      (column, said) <- rows
    } {
      val typed = column.replaceFirst("(.*) AS headers$", s"CAST($$1 AS $headers) AS headers")
      val sink  = KafkaSink.to(broker.servers).withTopic("odd").withDelivery(delivery).build()
      val lost  = intercept[Exception](sink.write(spark.sql(s"SELECT 'a' AS value, $typed")).save())
      assert(Thrown.conditions(lost).contains("STOPLOG_BAD_ROW"), lost)
      assert(Thrown.text(lost).contains(said), lost)
    }
  }

  test("rejects unsuitable columns before any task starts") {
    val refusals = Seq(
      "struct(1 AS a) AS value"        -> "the column value is struct<a:int>, and has to be string or binary",
      "1 AS key, 'a' AS value"         -> "the column key is int, and has to be string or binary",
      "'a' AS key"                     -> "there is no column value",
      "'a' AS value, 1 AS topic"       -> "the column topic is int, and has to be string",
      "'a' AS value, '1' AS partition" -> "the column partition is string, and has to be int",
      "'a' AS value, map('a', 'b') AS headers" -> "the column headers is map<string,string>",
      "'a' AS value, 12L AS timestamp"         -> "the column timestamp is bigint, and has to be timestamp"
    )
    for {
      delivery          <- deliveries
      (columns, reason) <- refusals
    } {
      val sink    = KafkaSink.to(broker.servers).withTopic("refused").withDelivery(delivery).build()
      val refused = intercept[Exception](sink.write(spark.sql(s"SELECT $columns")).save())
      assert(Thrown.conditions(refused).contains("STOPLOG_ROW_COLUMNS"), refused)
      assert(refused.getMessage.contains(reason) && refused.getMessage.contains("to_json(struct(*))"))
    }
    val nowhere = intercept[Exception](
      KafkaSink.to(broker.servers).build().write(spark.sql("SELECT 'a' AS value")).save()
    )
    assert(nowhere.getMessage.contains("there is neither a column topic nor the option topic"))
  }

  test("a custom partitioner chooses the partition of rows without partition") {
    val topic = broker.createTopic("sink-partitioner", partitions = 4)
    val rows  = spark.range(20).selectExpr("cast(id AS string) AS key", "cast(id AS string) AS value")
    KafkaSink
      .to(broker.servers)
      .withTopic(topic)
      .withPartitioner("stoplog.kafka.options.FirstPartition")
      .build()
      .write(rows)
      .save()
    assert(broker.records(topic).map(_.partition).distinct === Seq(0))
    assert(broker.records(topic).size === 20)
  }

  test("rejects a transaction timeout above the brokers' limit at the start") {
    val sink    = KafkaSink.to(broker.servers).withTopic("refused").withTransactionTimeout("1h").build()
    val refused = intercept[Exception](complete(sink, memory().toDF(), checkpoint()))
    assert(Thrown.conditions(refused) === Seq("STOPLOG_INVALID_OPTIONS"))
  }

  test("session options apply unless the write overrides them") {
    val topic = broker.createTopic("sink-session")
    spark.conf.set("spark.datasource.stoplog-kafka.kafka.bootstrap.servers", broker.servers)
    spark.conf.set("spark.datasource.stoplog-kafka.topic", topic)
    try spark.sql("SELECT 'a' AS value").write.format("stoplog-kafka").mode("append").save()
    finally {
      spark.conf.unset("spark.datasource.stoplog-kafka.kafka.bootstrap.servers")
      spark.conf.unset("spark.datasource.stoplog-kafka.topic")
    }
    assert(broker.committed(topic) === Seq("a"))
  }

  test("rows of a failed task are invisible, and its second attempt appears once") {
    val topic = broker.createTopic("sink-attempts")
    val sink  = KafkaSink.to(broker.servers).withTopic(topic).build()
    val input = memory()
    input.addData("a", "b")
    val place   = checkpoint()
    val failing = input.toDF().selectExpr("if(value = 'b', raise_error('no'), value) AS value").coalesce(1)
    val failed  = intercept[StreamingQueryException](complete(sink, failing, place))
    assert(failed.getMessage.contains("no"))
    assert(!broker.isHeldUp(topic))
    assert(broker.committed(topic) === Nil)
    complete(sink, input.toDF().coalesce(1), place)
    assert(broker.committed(topic) === Seq("a", "b"))
  }

  test("the sink knows the trigger's interval at its start") {
    val topic = broker.createTopic("sink-trigger")
    val input = memory()
    input.addData("a")
    val sink  = KafkaSink.to(broker.servers).withTopic(topic).withTransactionTimeout("1m").build()
    val query = sink.writeStream(input.toDF(), checkpoint()).trigger(Trigger.ProcessingTime("1 hour"))
    val said  = LogCapture.of {
      val running = query.start()
      try eventually(assert(broker.committed(topic) === Seq("a")))
      finally running.stop()
    }
    assert(said.exists(_.contains("The trigger's interval is 1h, transactionTimeout 1m")), said)
  }

  test("progress reports committed rows and the bytes of their keys and values") {
    val topic = broker.createTopic("sink-progress")
    val input = memory()
    input.addData("a", "b", "c")
    val rows  = input.toDF().selectExpr("if(value = 'a', null, concat('key ', value)) AS key", "value")
    val query = start(KafkaSink.to(broker.servers).withTopic(topic).build(), rows, checkpoint())
    query.awaitTermination()
    val metrics = query.recentProgress.map(_.sink.metrics).filterNot(_.isEmpty).last
    assert(metrics.get("publishedRows") === "3")
    assert(metrics.get("publishedBytes") === "13", "two keys of 5 bytes, three values of 1")
    assert(metrics.get("epochsCommitted") === "1")
  }

  private def memory(): MemoryStream[String] = MemoryStream[String](spark.implicits.newStringEncoder, spark)

  private def checkpoint(): String = Files.createTempDirectory("stoplog-kafka-checkpoint").toString

  private def complete(sink: KafkaSink, rows: DataFrame, place: String): Unit =
    start(sink, rows, place).awaitTermination()

  private def start(sink: KafkaSink, rows: DataFrame, place: String) =
    sink.writeStream(rows, place).trigger(Trigger.AvailableNow()).start()
}
