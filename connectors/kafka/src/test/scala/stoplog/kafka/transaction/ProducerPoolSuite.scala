// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import java.util.concurrent.atomic.AtomicInteger

import org.apache.kafka.clients.producer.RoundRobinPartitioner
import org.scalatest.funsuite.AnyFunSuite

import stoplog.kafka.client.ProducerSettings
import stoplog.part.RunId
import stoplog.thread.Clock

/** No producer of this suite reaches a broker: what counts is who gets which. */
class ProducerPoolSuite extends AnyFunSuite {
  private val run = RunId.random()
  private val use = ProducerPool.Use(run, TransactionalIds("stoplog", "/log", "main"))

  test("a producer serves epochs after its prepared epoch, and a single task at a time") {
    val pool     = new ProducerPool(Clock.system, keptMillis = 60000)
    val producer = made("a")
    pool.put(use, 7, producer)
    assert(pool.take(use, 7) === None)
    assert(pool.take(use, 8) === Some(producer))
    assert(pool.take(use, 8) === None)
    producer.close()
  }

  test("runs and sinks have separate producers") {
    val pool     = new ProducerPool(Clock.system, keptMillis = 60000)
    val producer = made("a")
    pool.put(use, 7, producer)
    assert(pool.take(use.copy(run = RunId.random()), 8) === None)
    assert(pool.take(use.copy(ids = use.ids.copy(sinkId = "other")), 8) === None)
    assert(pool.take(use, 8) === Some(producer))
    producer.close()
  }

  test("a producer unused for the keep time is closed") {
    var now   = 0L
    val clock = new Clock {
      override def millis(): Long        = now
      override def elapsedMillis(): Long = now
    }
    val pool = new ProducerPool(clock, keptMillis = 1000)
    pool.put(use, 1, made("old"))
    now = 600
    val young = made("young")
    pool.put(use, 1, young)
    now = 1200
    pool.closeUnused()
    assert(pool.take(use, 2) === Some(young))
    assert(pool.take(use, 2) === None)
    young.close()
  }

  test("every unused producer is closed although a partitioner of the user fails to close") {
    val pool = new ProducerPool(Clock.system, keptMillis = -1)
    for (id <- Seq("a", "b")) pool.put(use, 1, made(id, "partitioner.class" -> classOf[Unclosable].getName))
    val before = Unclosable.closed.get
    pool.closeUnused()
    assert(Unclosable.closed.get - before === 2)
  }

  private def made(id: String, more: (String, String)*) = new TransactionalProducer(
    ProducerSettings(
      Map("bootstrap.servers" -> "127.0.0.1:1", "reconnect.backoff.ms" -> "60000") ++ more,
      60000
    ),
    id,
    Clock.system
  )
}

/** A partitioner that cannot be closed. */
final class Unclosable extends RoundRobinPartitioner {
  override def close(): Unit = {
    Unclosable.closed.incrementAndGet()
    throw new IllegalStateException("it stays open")
  }
}

private object Unclosable {
  val closed = new AtomicInteger
}
