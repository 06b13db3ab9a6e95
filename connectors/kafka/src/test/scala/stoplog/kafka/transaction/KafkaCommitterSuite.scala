// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import scala.util.Using

import org.apache.kafka.clients.producer.ProducerRecord
import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.{LostPart, ManualClock}
import stoplog.kafka.Broker
import stoplog.sink.CommitOutcome.Committed
import stoplog.sink.Prepared
import stoplog.spark.LogCapture

/** Against a real broker, by a clock of its own. */
class KafkaCommitterSuite extends AnyFunSuite {
  private val broker        = Broker.shared
  private val timeoutMillis = 60000

  test("a commit that came after more than half of a transaction's time is warned of, with both times") {
    assert(warnings("committer-half", ageMillis = timeoutMillis / 2) === Nil)
    assert(
      warnings("committer-late", ageMillis = 40000) === Seq(
        "A transaction of micro-batch 7 was committed 40s after it was begun, of the 1m that transactionTimeout " +
          "leaves to it and to a restart"
      )
    )
  }

  /** What the log says when a transaction of this age is committed. */
  private def warnings(id: String, ageMillis: Long): Seq[String] = {
    val topic    = broker.createTopic(id)
    val clock    = new ManualClock(1790000000000L)
    val settings = broker.settings(timeoutMillis)
    val open     = Using.resource(new TransactionalProducer(settings, id, clock).begin()) { writer =>
      writer.send(new ProducerRecord(topic, "a".getBytes))
      writer.prepare(Some(7)).get
    }
    clock.advance(ageMillis)
    val committer = new KafkaCommitter(
      new Transactions(settings, clock),
      topic,
      TransactionalIds("stoplog", "/log", "main"),
      () => Set.empty,
      LostPart.Fail,
      timeoutMillis.toLong,
      clock
    )
    val said = LogCapture.of {
      assert(committer.commit(Prepared(id, open.token, rows = 1, bytes = 1)) === Committed)
    }
    committer.close()
    assert(broker.committed(topic) === Vector("a"))
    said
  }
}
