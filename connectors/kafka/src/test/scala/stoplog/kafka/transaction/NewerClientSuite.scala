// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import java.io.File
import java.nio.file.{Files, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.kafka.clients.producer.ProducerRecord
import org.apache.kafka.common.utils.AppInfoParser
import org.scalatest.funsuite.AnyFunSuite

import stoplog.kafka.Broker
import stoplog.kafka.client.{OpenTransaction, ProducerSettings}
import stoplog.sink.CommitOutcome
import stoplog.thread.Clock

/** The newest client: some of its classes have other names than Spark's, and it knows a newer protocol. */
class NewerClientSuite extends AnyFunSuite {

  test("the newest client prepares, commits, repeats and aborts transactions") {
    val topic   = Broker.shared.createTopic("newer-client", partitions = 2)
    val newer   = Files.readString(Paths.get(System.getProperty("stoplog.servers"), "kafkaNewest.classpath"))
    val command = Seq(
      Paths.get(System.getProperty("java.home"), "bin", "java").toString,
      "-XX:TieredStopAtLevel=1",
      "-XX:+UseSerialGC",
      s"-Djava.io.tmpdir=${System.getProperty("java.io.tmpdir")}",
      "-cp",
      newer + File.pathSeparator + System.getProperty("java.class.path"),
      "stoplog.kafka.transaction.NewerClient",
      Broker.shared.servers,
      topic
    )
    assert(new ProcessBuilder(command.asJava).inheritIO().start().waitFor() === 0)
    assert(
      Broker.shared.committed(topic).sorted === Seq("1", "2", "4").flatMap(batch =>
        Seq(s"$batch-0", s"$batch-1")
      )
    )
    assert(!Broker.shared.isHeldUp(topic))
  }
}

object NewerClient {

  /** @param args brokers and topic */
  def main(args: Array[String]): Unit = {
    check(AppInfoParser.getVersion.startsWith("4."), AppInfoParser.getVersion)
    val settings =
      ProducerSettings(Map("bootstrap.servers" -> args(0)), transactionTimeoutMillis = 10 * 60000)
    Using.resource(new TransactionalProducer(settings, "newer-client-1", Clock.system)) { writer =>
      def prepared(batch: Int): OpenTransaction = {
        writer.begin()
        for (partition <- 0 to 1)
          writer.send(new ProducerRecord(args(1), partition, null, s"$batch-$partition".getBytes))
        writer.prepare(Some(batch.toLong)).get
      }
      Using.resource(new Transactions(settings, Clock.system)) { driver =>
        // By the second commit its producer has heard of the newer protocol, by the first it may have.
        for (batch <- 1 to 2) {
          val open = prepared(batch)
          check(driver.commit(open) == CommitOutcome.Committed, s"commit $batch")
          Using.resource(new Transactions(settings, Clock.system)) { other =>
            check(other.commit(open) == CommitOutcome.AlreadyCommitted, s"$batch by another driver")
          }
        }
        val aborted = prepared(3)
        driver.abort(aborted.id)
        check(driver.commit(aborted) == CommitOutcome.Lost, "what was aborted")
        check(driver.commit(prepared(4)) == CommitOutcome.Committed, "the next one of the same producer")
      }
    }
  }

  private def check(holds: Boolean, what: String): Unit = if (!holds) throw new AssertionError(what)
}
