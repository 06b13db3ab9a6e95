// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import scala.util.{Try, Using}

import org.apache.kafka.clients.producer.ProducerRecord
import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.ManualClock
import stoplog.error.StoplogException
import stoplog.kafka.Broker
import stoplog.kafka.client.{OpenTransaction, ProducerSettings}
import stoplog.sink.CommitOutcome.Committed
import stoplog.sink.Prepared
import stoplog.spark.LogCapture
import stoplog.thread.{Clock, StopSignal}

/** Against a real broker, by a clock of its own. */
class KafkaCommitterSuite extends AnyFunSuite {
  private val broker        = Broker.shared
  private val timeoutMillis = 60000
  private val start         = 1790000000000L

  test("a commit after half of the transaction timeout logs a warning with both times") {
    assert(warnings("committer-half", ageMillis = timeoutMillis / 2) === Nil)
    assert(
      warnings("committer-late", ageMillis = 40000) === Seq(
        "A transaction of micro-batch 7 was committed 40s after its start. transactionTimeout, which " +
          "limits a commit and a restart together, is 1m"
      )
    )
  }

  test("rejects a decision on an open transaction with too little time to commit") {
    def refused(ageMillis: Int): Option[String] =
      withOpen(s"committer-$ageMillis", ageMillis) { (committer, open) =>
        Try(committer.refuseLost(Seq(open.token))).failed.toOption.map {
          case known: StoplogException => known.getCondition
          case other                   => throw other
        }
      }
    for (ageMillis <- Seq(timeoutMillis - 1, timeoutMillis - 5999, timeoutMillis + 1))
      assert(refused(ageMillis) === Some("STOPLOG_KAFKA_TRANSACTION_EXPIRED"))
    for (ageMillis <- Seq(0, timeoutMillis / 2 + 1, timeoutMillis - 6000)) assert(refused(ageMillis) === None)
  }

  test("the wrong clock of an executor neither expires a transaction nor hides its loss") {
    val hour = 3600000
    for (executorMillis <- Seq(-hour, hour))
      withOpen(s"committer-young-$executorMillis", ageMillis = 0, executorMillis) { (committer, open) =>
        committer.refuseLost(Seq(open.token))
      }
    withOpen("committer-gone", ageMillis = timeoutMillis / 2 + 1, executorMillis = hour) {
      (committer, open) =>
        Using.resource(new Transactions(broker.settings(timeoutMillis), Clock.system))(_.abort(open.id))
        val refused = intercept[StoplogException](committer.refuseLost(Seq(open.token)))
        assert(refused.getCondition === "STOPLOG_KAFKA_TRANSACTION_EXPIRED")
    }
  }

  test("a stop during the commits lets brokers that respond commit all transactions") {
    val topic    = broker.createTopic("committer-stopped")
    val clock    = new ManualClock(start)
    val settings = broker.settings(timeoutMillis)
    val values   = (1 to 10).map(n => s"committer-stopped-$n")
    val all      = values.map(id => prepared(settings, id, topic, value = id, clock))
    val stopped  = new StopSignal {
      override def isStopped: Boolean = true
    }
    Using.resource(committer(settings, topic, clock, stopped)) { committer =>
      for (open <- all) {
        assert(committer.commit(Prepared(open.id, open.token, rows = 1, bytes = 1)) === Committed)
        clock.advance(200)
      }
    }
    assert(broker.committed(topic).sorted === values.sorted)
  }

  test("the commit margin is a tenth of the timeout, at most half a minute") {
    assert(KafkaCommitter.marginMillis(60000) === 6000)
    assert(KafkaCommitter.marginMillis(15 * 60000) === 30000)
  }

  /** What the log says when a transaction of this age is committed. */
  private def warnings(id: String, ageMillis: Int): Seq[String] = withOpen(id, ageMillis) {
    (committer, open) =>
      val said = LogCapture.of {
        assert(committer.commit(Prepared(id, open.token, rows = 1, bytes = 1)) === Committed)
      }
      assert(broker.committed(id) === Vector("a"))
      said
  }

  /** @param id              of the transaction, and its topic
    * @param executorMillis  by how much the executor's clock is ahead of the driver's
    */
  private def withOpen[A](id: String, ageMillis: Int, executorMillis: Int = 0)(
      action: (KafkaCommitter, OpenTransaction) => A
  ): A = {
    val topic    = broker.createTopic(id)
    val clock    = new ManualClock(start)
    val settings = broker.settings(timeoutMillis)
    Using.resource(committer(settings, topic, clock, StopSignal.never)) { committer =>
      val executor = new ManualClock(start + executorMillis)
      val open     = prepared(settings, id, topic, value = "a", executor)
      clock.advance(ageMillis)
      action(committer, open)
    }
  }

  private def committer(settings: ProducerSettings, topic: String, clock: Clock, stop: StopSignal) =
    new KafkaCommitter(
      new Transactions(settings, clock),
      TransactionalIds("stoplog", "/log", "main"),
      topic,
      () => Set.empty,
      timeoutMillis.toLong,
      clock,
      stop
    )

  /** By a writer that is gone when this returns. */
  private def prepared(settings: ProducerSettings, id: String, topic: String, value: String, clock: Clock) =
    Using.resource(new TransactionalProducer(settings, id, clock).begin()) { writer =>
      writer.send(new ProducerRecord(topic, value.getBytes))
      writer.prepare(Some(7)).get
    }
}
