// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import java.util.concurrent.{CompletableFuture, Executors}
import java.util.concurrent.atomic.AtomicInteger

import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import stoplog.cassandra.client.RequestRetries

class InFlightSuite extends AnyFunSuite with BeforeAndAfterAll {
  private val timer   = Executors.newScheduledThreadPool(1)
  private val answers = Executors.newFixedThreadPool(3)

  override protected def afterAll(): Unit = {
    timer.shutdownNow()
    answers.shutdownNow()
    ()
  }

  private def inFlight(limit: Int, timeoutMillis: Long = 60000, answerMillis: Long = 60000) =
    new InFlight(limit, RequestRetries(timeoutMillis), answerMillis, timer)

  private val slow = new java.io.IOException("slow")

  test("concurrent requests stay within the limit") {
    val underWay = new AtomicInteger
    val most     = new AtomicInteger
    val bounded  = inFlight(5)
    for (_ <- 1 to 500)
      bounded.send(
        () => {
          most.accumulateAndGet(underWay.incrementAndGet(), math.max(_, _))
          CompletableFuture.runAsync(
            () => {
              Thread.`yield`()
              underWay.decrementAndGet()
              ()
            },
            answers
          )
        },
        identity
      )
    bounded.await()
    assert(most.get <= 5)
    assert(underWay.get === 0)
    assert(bounded.counts.requests === 500)
    assert(bounded.counts.most <= 5)
  }

  test("a transient failure is retried and counts once against the limit") {
    val left    = new AtomicInteger(3)
    val bounded = inFlight(1)
    bounded.send(
      () =>
        if (left.getAndDecrement() > 0) CompletableFuture.failedFuture(slow)
        else CompletableFuture.completedFuture(()),
      identity
    )
    bounded.await()
    assert(bounded.counts === InFlight.Counts(1, 3, 1))
  }

  test("a permanent failure is not retried and ends the task with its cause") {
    val tries   = new AtomicInteger
    val bounded = inFlight(2)
    bounded.send(
      () => {
        tries.incrementAndGet()
        CompletableFuture.failedFuture(new InvalidQueryException(null, "no"))
      },
      e => new IllegalStateException("blamed", e)
    )
    assert(intercept[IllegalStateException](bounded.await()).getMessage === "blamed")
    assert(intercept[IllegalStateException](bounded.send(() => fail(), identity)).getMessage === "blamed")
    assert(tries.get === 1)
  }

  test("retries end at the timeout") {
    val bounded = inFlight(1, timeoutMillis = 1)
    bounded.send(() => CompletableFuture.failedFuture(slow), identity)
    assert(intercept[java.io.IOException](bounded.await()) eq slow)
  }

  test("a request that cannot be created is a failure") {
    val bounded = inFlight(1, timeoutMillis = 1)
    bounded.send(() => throw new IllegalStateException("closed"), identity)
    assert(intercept[IllegalStateException](bounded.await()).getMessage === "closed")
  }

  test("a request without a response is sent again, and a late response is ignored") {
    val unanswered = new CompletableFuture[Unit]
    val requests   = Iterator(unanswered, CompletableFuture.completedFuture(()))
    val bounded    = inFlight(1, answerMillis = 500)
    bounded.send(() => requests.next(), identity)
    bounded.await()
    unanswered.completeExceptionally(new InvalidQueryException(null, "late"))
    bounded.await()
    assert(bounded.counts === InFlight.Counts(1, 1, 1))
  }

  test("without any response, retries end at the timeout, and waiting senders fail") {
    def silent = {
      val bounded = inFlight(1, timeoutMillis = 1, answerMillis = 5)
      bounded.send(() => new CompletableFuture[Unit], e => new IllegalStateException("blamed", e))
      bounded
    }
    val waits = silent
    waits.send(() => CompletableFuture.completedFuture(()), identity)
    assert(intercept[IllegalStateException](waits.await()).getMessage === "blamed")
    val e = intercept[IllegalStateException](silent.await())
    assert(e.getCause.getMessage === "no response in 5 ms")
  }

  test("an exception in a thread of the driver ends the task") {
    val unblamed = inFlight(1)
    unblamed.send(
      () => CompletableFuture.failedFuture(new InvalidQueryException(null, "no")),
      _ => throw new IllegalStateException("cannot say")
    )
    assert(intercept[IllegalStateException](unblamed.await()).getMessage === "cannot say")

    val unmade   = inFlight(1)
    val requests = Iterator[() => CompletableFuture[Unit]](
      () => CompletableFuture.failedFuture(slow),
      () => throw new NoClassDefFoundError("gone")
    )
    unmade.send(() => requests.next()(), identity)
    assert(intercept[NoClassDefFoundError](unmade.await()).getMessage === "gone")
  }

  test("pauses are random, grow, and stay below five seconds") {
    val retries = RequestRetries(60000)
    val pauses  = for {
      tries <- 1 to 20
      _     <- 1 to 50
    } yield tries -> retries.pauseMillis(tries, 0).get
    assert(pauses.map(_._2).min >= 1)
    assert(pauses.map(_._2).max <= 5000)
    assert(pauses.filter(_._1 == 1).map(_._2).max <= 50)
    assert(pauses.filter(_._1 == 20).map(_._2).distinct.size > 10)
  }
}
