// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import java.util.{Collection => JCollection, List => JList}
import java.util.concurrent.{ExecutionException, TimeoutException}

import scala.util.Using

import org.apache.kafka.clients.producer.ProducerRecord
import org.apache.kafka.common.KafkaFuture
import org.apache.kafka.common.internals.KafkaFutureImpl
import org.scalatest.concurrent.{Eventually, Signaler, ThreadSignaler, TimeLimits}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Millis, Seconds, Span}

import stoplog.LongRun
import stoplog.error.{StoplogArgumentException, StoplogException}
import stoplog.kafka.Broker
import stoplog.kafka.client.{KafkaErrors, OpenTransaction, ProducerSettings}
import stoplog.sink.CommitOutcome.{AlreadyCommitted, Committed, Lost}
import stoplog.spark.LogCapture
import stoplog.thread.Clock

/** Against a real broker: what readers of committed records see is the truth. */
class TransactionsSuite extends AnyFunSuite with Eventually with TimeLimits {
  private val broker = Broker.shared

  private implicit val signaler: Signaler = ThreadSignaler

  override implicit val patienceConfig: PatienceConfig = PatienceConfig(Span(120, Seconds), Span(100, Millis))

  test("a prepared transaction is durable and becomes visible when another process commits") {
    val topic = broker.createTopic("prepared")
    val open  = prepared("prepared-1", topic, "a", "b", "c")
    assert(broker.everything(topic) === Vector("a", "b", "c"))
    assert(broker.committed(topic) === Vector.empty)
    transactions(t => assert(t.commit(OpenTransaction.parse(open.token)) === Committed))
    assert(broker.committed(topic) === Vector("a", "b", "c"))
  }

  test("a repeated commit changes nothing") {
    val topic = broker.createTopic("again")
    val open  = prepared("again-1", topic, "a")
    transactions(t => assert(t.commit(open) === Committed))
    for (_ <- 1 to 2) transactions(t => assert(t.commit(open) === AlreadyCommitted))
    assert(broker.committed(topic) === Vector("a"))
  }

  test("an id is free for the next transaction after the commit") {
    val topic = broker.createTopic("free")
    for (value <- Seq("a", "b", "c")) {
      val open = prepared("free-1", topic, value)
      transactions(t => assert(t.commit(open) === Committed))
    }
    assert(broker.committed(topic) === Vector("a", "b", "c"))
  }

  test("a producer and a committer serve successive transactions") {
    val topic = broker.createTopic("on", partitions = 2)
    transactions { t =>
      Using.resource(new TransactionalProducer(broker.settings(), "on-1", Clock.system)) { writer =>
        for (batch <- 1 to 3) {
          writer.begin()
          for (partition <- 0 to 1)
            writer.send(new ProducerRecord(topic, partition, null, s"$batch-$partition".getBytes))
          assert(t.commit(writer.prepare(Some(batch)).get) === Committed)
        }
      }
    }
    assert(broker.committed(topic).sorted === (for {
      b <- 1 to 3
      p <- 0 to 1
    } yield s"$b-$p"))
  }

  test("an uncommitted prepared transaction is aborted when its producer restarts") {
    val topic = broker.createTopic("anew")
    Using.resource(producer("anew-1")) { writer =>
      writer.send(new ProducerRecord(topic, "a".getBytes))
      writer.prepare(Some(1))
      writer.begin()
      writer.send(new ProducerRecord(topic, "b".getBytes))
      val open = writer.prepare(Some(2)).get
      transactions(t => assert(t.commit(open) === Committed))
    }
    assert(broker.committed(topic) === Vector("b"))
  }

  test("an aborting writer leaves no open transaction that blocks readers") {
    val topic = broker.createTopic("aborting")
    Using.resource(producer("aborting-1")) { writer =>
      writer.send(new ProducerRecord(topic, "a".getBytes))
      writer.prepare(Some(7))
      writer.abort()
    }
    assert(!broker.isHeldUp(topic))
    assert(broker.committed(topic) === Vector.empty)
  }

  test("an open transaction of a dead writer is found by id and can be aborted") {
    val topic = broker.createTopic("dangling")
    val mine  = prepared("dangling-mine", topic, "a")
    val other = prepared("dangling-other", topic, "b")
    assert(broker.isHeldUp(topic))
    transactions { t =>
      assert(t.open(_.startsWith("dangling-")) === Vector("dangling-mine", "dangling-other"))
      t.abort("dangling-mine")
      t.abort("dangling-mine")
      assert(t.open(_.startsWith("dangling-")) === Vector("dangling-other"))
      assert(t.commit(mine) === Lost)
      assert(t.commit(other) === Committed)
    }
    assert(broker.committed(topic) === Vector("b"))
  }

  test("open transactions are found if one of several brokers does not respond") {
    val silent = new KafkaFutureImpl[JCollection[String]]
    silent.completeExceptionally(new TimeoutException("the broker does not respond"))
    val one: Map[Integer, KafkaFuture[JCollection[String]]]  = Map(Integer.valueOf(1) -> silent)
    val both: Map[Integer, KafkaFuture[JCollection[String]]] =
      one + (Integer.valueOf(2) -> KafkaFuture.completedFuture[JCollection[String]](JList.of("b", "a")))
    val said = LogCapture.of(assert(Transactions.listed(both) === Vector("b", "a")))
    assert(said.exists(_.startsWith("Broker 1 did not list its transactions")))
    intercept[ExecutionException](Transactions.listed(one))
    assert(Transactions.listed(Map.empty[Integer, KafkaFuture[JCollection[String]]]) === Vector.empty)
  }

  test("a live writer whose transaction was aborted cannot write") {
    val topic = broker.createTopic("zombie")
    Using.resource(producer("zombie-1")) { zombie =>
      zombie.send(new ProducerRecord(topic, "a".getBytes))
      zombie.prepare(None)
      transactions(_.abort("zombie-1"))
      val refused = intercept[StoplogException] {
        zombie.send(new ProducerRecord(topic, "b".getBytes))
        zombie.prepare(None)
      }
      assert(refused.getCondition === "STOPLOG_KAFKA_TRANSACTION_EXPIRED")
      assert(refused.getMessage.contains("zombie-1"))
    }
    assert(broker.committed(topic) === Vector.empty)
  }

  test("an aborted transaction is reported as expired by every later call, with its batch and timeout") {
    val topic = broker.createTopic("every-call")
    val calls = Seq[(String, TransactionalProducer => Any)](
      "send, then prepare" -> { writer =>
        writer.send(new ProducerRecord(topic, "b".getBytes))
        writer.prepare(Some(7))
      },
      // The failure of an earlier record shows at the next one.
      "send" -> { writer =>
        for (_ <- 1 to 2000000) writer.send(new ProducerRecord(topic, "b".getBytes))
      }
    )
    for (((call, action), n) <- calls.zipWithIndex)
      Using.resource(
        new TransactionalProducer(broker.settings(), s"every-call-$n", Clock.system).begin(Some(7))
      ) { writer =>
        writer.send(new ProducerRecord(topic, "a".getBytes))
        writer.prepare(Some(7))
        transactions(_.abort(s"every-call-$n"))
        val refused = intercept[StoplogException](action(writer))
        assert(refused.getCondition === "STOPLOG_KAFKA_TRANSACTION_EXPIRED", call)
        for (word <- Seq("micro-batch 7", s"every-call-$n", "10m", "transactionTimeout"))
          assert(refused.getMessage.contains(word), call)
      }
    assert(broker.committed(topic) === Vector.empty)
  }

  test("an error before the first record is not an expired transaction") {
    val gone = new org.apache.kafka.common.errors.ProducerFencedException("fenced")
    assert(KafkaErrors.inTransaction("b:1", None, 0, 1, gone).getCondition === "STOPLOG_REQUEST_FAILED")
  }

  test("a timed-out transaction is lost, and its commit reports the loss", LongRun.Only) {
    val topic = broker.createTopic("late")
    val open  = prepared("late-1", topic, timeoutMillis = Broker.ShortMillis, "a")
    eventually(assert(!broker.isHeldUp(topic)))
    transactions(t => assert(t.commit(open) === Lost))
    assert(broker.committed(topic) === Vector.empty)
  }

  test("a transaction without records is not prepared") {
    Using.resource(producer("empty-1"))(writer => assert(writer.prepare(None) === None))
    transactions(t => assert(t.open(_ == "empty-1") === Vector.empty))
  }

  test("a deleted topic fails the transaction within the time limit of its records") {
    val topic     = broker.createTopic("deleted")
    var isHurried = false
    val hurried   = new Clock {
      private var looks                  = 0L
      override def millis(): Long        = Clock.system.millis()
      override def elapsedMillis(): Long = if (isHurried) { looks += 1; looks * 10000 }
      else 0
    }
    Using.resource(new TransactionalProducer(broker.settings(), "deleted-1", hurried)) { writer =>
      def send(batch: Long): Unit = writer.begin(Some(batch)).send(new ProducerRecord(topic, "a".getBytes))
      send(1)
      transactions(t => assert(t.commit(writer.prepare(Some(1)).get) === Committed))
      broker.withAdmin(_.deleteTopics(JList.of(topic)).all().get())
      send(2)
      isHurried = true
      val late = failAfter(Span(60, Seconds))(intercept[StoplogException](writer.prepare(Some(2))))
      assert(late.getCondition === "STOPLOG_REQUEST_FAILED")
      assert(late.getMessage.contains("within 150s; the topic may be deleted"), late.getMessage)
    }
  }

  test("every request reports the reason if no client can be created") {
    val settings = ProducerSettings(Map("bootstrap.servers" -> "no.such.host.invalid:9092"), 60000)
    val open     = OpenTransaction("nowhere-1", 1, 0, begunAtMillis = Long.MaxValue, batch = None)
    val requests = Seq[Transactions => Any](_.commit(open), _.open(_ => true), _.gone(Seq(open)))
    for (request <- requests) Using.resource(new Transactions(settings, Clock.system)) { transactions =>
      val failed = intercept[StoplogException](request(transactions))
      assert(failed.getCondition === "STOPLOG_UNKNOWN_OUTCOME")
      assert(failed.getMessage.contains("No resolvable bootstrap urls"), failed.getMessage)
    }
  }

  test("the brokers' transaction limit is checked first") {
    BrokerLimits.check(broker.settings(timeoutMillis = 15 * 60000))
    val refused = intercept[StoplogArgumentException] {
      BrokerLimits.check(broker.settings(timeoutMillis = 60 * 60000))
    }
    assert(refused.getMessage === KafkaErrors.transactionTimeout(3600000, 900000, broker.servers).getMessage)
  }

  private def prepared(id: String, topic: String, values: String*): OpenTransaction =
    prepared(id, topic, timeoutMillis = 10 * 60000, values: _*)

  /** By a writer that is gone when this returns. */
  private def prepared(id: String, topic: String, timeoutMillis: Long, values: String*): OpenTransaction =
    Using.resource(new TransactionalProducer(broker.settings(timeoutMillis), id, Clock.system).begin()) {
      writer =>
        values.foreach(value => writer.send(new ProducerRecord(topic, value.getBytes)))
        writer.prepare(Some(7)).get
    }

  private def producer(id: String) = new TransactionalProducer(broker.settings(), id, Clock.system).begin()

  private def transactions(action: Transactions => Any): Unit =
    Using.resource(new Transactions(broker.settings(), Clock.system)) { t => action(t); () }
}
