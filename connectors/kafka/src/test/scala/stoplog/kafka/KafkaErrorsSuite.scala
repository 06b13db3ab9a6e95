// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

import java.io.IOException

import org.apache.spark.SparkThrowable

import stoplog.error.{ConditionRules, Conditions}
import stoplog.kafka.transaction.OpenTransaction

class KafkaErrorsSuite extends ConditionRules(KafkaErrorsSuite.url, KafkaErrorsSuite.one) {

  test("a lost transaction is named with all that helps to find its rows") {
    val message =
      KafkaErrors.transactionLost(KafkaErrorsSuite.open, "topic t at b:9092", 9, 125999, 60000).getMessage
    for (
      told <- Seq("Micro-batch 12 ", "9 rows", "topic t at b:9092", "stoplog-1 (producer 7, epoch 3)",
        "2m ago")
    )
      assert(message.contains(told), message)
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
    KafkaErrors.transactionLost(open, "topic t at b:9092", 9, 65000, 60000),
    KafkaErrors.transactionTimeout(3600000, 900000, "b:9092"),
    KafkaErrors.write("b:9092", cause)
  )
}
