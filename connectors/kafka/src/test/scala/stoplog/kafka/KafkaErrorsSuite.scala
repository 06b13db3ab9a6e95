// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

import java.io.IOException

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.kafka.clients.producer.KafkaProducer
import org.apache.kafka.common.KafkaException
import org.apache.kafka.common.errors.TopicAuthorizationException
import org.apache.spark.SparkThrowable
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.{ConditionRules, Conditions}
import stoplog.kafka.client.{KafkaErrors, OpenTransaction, ProducerSettings}

class KafkaErrorsSuite
    extends ConditionRules(Some(KafkaErrorsSuite.url), KafkaErrorsSuite.one, Some("kafka")) {

  test("a lost transaction is reported with all details for finding its rows") {
    val message =
      KafkaErrors
        .transactionLost(
          KafkaErrorsSuite.open,
          "topic t at b:9092",
          KafkaErrors.Lost(transactions = 2, rows = 9, committed = 3),
          120999,
          60000
        )
        .getMessage
    for (
      told <- Seq("micro-batch 12 ", "3 are committed", "2 with 9 rows are lost", "topic t at b:9092",
        "stoplog-1 (producer 7, epoch 3)", "2m ago")
    )
      assert(message.contains(told), message)
  }

  test("an error of a request contains the reason that the client wraps") {
    val refused = new TopicAuthorizationException("Not authorized to access topics: [orders]")
    val state   =
      new KafkaException("Cannot execute transactional method because we are in an error state", refused)
    for (
      error <- Seq(
        KafkaErrors.write("b:1", new KafkaException(state)),
        KafkaErrors.commit("transaction stoplog-1", "b:1", state),
        KafkaErrors.noAnswer("their settings", "b:1", state)
      )
    ) {
      assert(error.getMessage.contains("in an error state: "), error.getMessage)
      assert(error.getMessage.contains(refused.toString), error.getMessage)
      assert(!error.getMessage.contains("KafkaException"), error.getMessage)
    }
  }
}

/** What the sink is told in secret nobody reads in what it says, nor in what Kafka's client says. */
class KafkaSecretsSuite extends AnyFunSuite {

  test("no message contains a secret of valid or invalid client settings") {
    val module = "org.apache.kafka.common.security.plain.PlainLoginModule"
    val login  = Seq(
      s"""$module required username="u" password="hunter2";""",
      s"""$module required username="u" password="hunter2"""",
      s"$module password=hunter2",
      s"""$module needed password="hunter2";""",
      "hunter2"
    ).map("kafka.sasl.jaas.config" -> _)
    val stores = Seq(
      "kafka.ssl.keystore.key"        -> "hunter2",
      "kafka.ssl.key.password"        -> "hunter2",
      "kafka.ssl.truststore.password" -> "hunter2"
    )
    for (secret <- login ++ stores) {
      val protocol = if (login.contains(secret)) "SASL_SSL" else "SSL"
      val asked    = Map(
        "kafka.bootstrap.servers" -> "127.0.0.1:1",
        "topic"                   -> "t",
        "kafka.security.protocol" -> protocol,
        "kafka.sasl.mechanism"    -> "PLAIN",
        "kafka.ssl.keystore.type" -> "PEM",
        secret
      )
      val sink = KafkaSink.fromOptions(asked.asJava)
      assert(!sink.toString.contains("hunter2"))
      val client = ProducerSettings(asked.collect { case (s"kafka.$key", value) => key -> value }, 1000)
      val told   = new java.io.StringWriter
      Try(new KafkaProducer[Array[Byte], Array[Byte]](client.plain).close()).failed.foreach { e =>
        KafkaErrors.write(client.servers, e).printStackTrace(new java.io.PrintWriter(told))
      }
      assert(!told.toString.contains("hunter2"), told)
    }
  }
}

object KafkaErrorsSuite {
  private val cause = new IOException("Connection refused.")

  val open = OpenTransaction("stoplog-1", 7, 3, begunAtMillis = 5000, Some(12))

  val url = getClass.getClassLoader.getResource(Conditions.ConnectorResource)

  val one: Seq[Throwable with SparkThrowable] = Seq(
    KafkaErrors.clientUnsupported(cause),
    KafkaErrors.column("there is no column value"),
    KafkaErrors.commit("transaction stoplog-1", "b:9092", cause),
    KafkaErrors.group("g", "it has committed nothing"),
    KafkaErrors.nullTopic(),
    KafkaErrors.record("the key of header 1 is null"),
    KafkaErrors.sourceMissing("org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0", "no class"),
    KafkaErrors.transactionExpired(open, 65000, 60000),
    KafkaErrors.transactionLost(open, "topic t at b:9092", KafkaErrors.Lost(1, 9, 3), 65000, 60000),
    KafkaErrors.transactionTimeout(3600000, 900000, "b:9092"),
    KafkaErrors.write("b:9092", cause)
  )
}
