// SPDX-License-Identifier: Apache-2.0
package stoplog.async

import java.util.concurrent.TimeoutException

import scala.collection.mutable
import scala.concurrent.Future
import scala.util.{Failure, Success, Try}

import org.scalatest.BeforeAndAfterEach
import org.scalatest.funsuite.AnyFunSuite

import stoplog.async.Outcome.{Done, Failed}

/** Timeouts, retries and batches of one call, by a clock of their own. */
class CallerSuite extends AnyFunSuite with BeforeAndAfterEach {

  private var loop = new VirtualLoop

  override def beforeEach(): Unit = loop = new VirtualLoop

  test("the wait doubles up to its limit") {
    val script = new Script(Seq.fill(5)(new RuntimeException))
    val retry  = Retry.upTo(6).withFirstWaitMillis(1000).withMaxWaitMillis(5000)
    assert(outcome(script, retry) === Done(Seq(7)))
    assert(script.seconds === Seq(0, 1, 3, 7, 12, 17))
  }

  test("the wait is random between zero and the limit") {
    val script = new Script(Seq.fill(2)(new RuntimeException))
    val random = Iterator(0.0, 0.5)
    outcome(script, Retry.upTo(3).withFirstWaitMillis(1000), random = () => random.next())
    assert(script.seconds === Seq(0, 0, 1))
  }

  test("the call fails after the last attempt") {
    val errors = Seq.tabulate(3)(n => new RuntimeException(s"$n"))
    assert(outcome(new Script(errors), Retry.upTo(3)) === Failed(errors(2), 3))
  }

  test("only chosen errors are retried") {
    val no     = new IllegalStateException("no")
    val script = new Script(Seq(new TimeoutException, no))
    assert(outcome(script, Retry.upTo(9).on(_.isInstanceOf[TimeoutException])) === Failed(no, 2))
  }

  test("Retry-After is honored for every error, with jitter") {
    val script = new Script(Seq(new RetryAfter(30000)))
    outcome(script, Retry.upTo(2).withFirstWaitMillis(1000).on(_ => false))
    assert(script.seconds === Seq(0, 31))
  }

  test("a Retry-After beyond the limit is a failure") {
    val script = new Script(Seq(new RetryAfter(3600000)))
    assert(outcome(script, Retry.upTo(9)).asInstanceOf[Failed].attempts === 1)
  }

  test("an attempt beyond the timeout fails, and its late result is ignored") {
    val slow = AsyncFunction.of[Int, Int](row => loop.answer(10)(row))
    assert(outcome(slow, timeout = Some(2500)).asInstanceOf[Failed].error.isInstanceOf[CallTimeout])
    assert(loop.seconds === 2.5)
    while (loop.seconds < 10) loop.runNext()
    loop.runNext() // the late answer
  }

  test("each attempt has the whole timeout") {
    val slow = AsyncFunction.of[Int, Int](row => loop.answer(10)(row))
    outcome(slow, Retry.upTo(2).withFirstWaitMillis(1000), timeout = Some(2000))
    assert(loop.seconds === 2.0 + 1 + 2)
  }

  test("a result in time counts although the loop checks late") {
    val inTime = AsyncFunction.of[Int, Int] { row => loop.elapse(60); Future.successful(row) }
    assert(outcome(inTime, timeout = Some(1)) === Done(Seq(7)))
  }

  test("the longest possible timeout is no timeout") {
    val slow = AsyncFunction.of[Int, Int](row => loop.answer(10)(row))
    assert(outcome(slow, timeout = Some(Long.MaxValue)) === Done(Seq(7)))
    assert(loop.seconds === 10)
  }

  test("timedOut supplies results for rows that timed out only") {
    class Late(seconds: Double) extends AsyncFunction[Int, Int] {
      override def call(row: Int): Future[Seq[Int]] = loop.answer(seconds)(throw new TimeoutException("own"))
      override def timedOut(row: Int): Option[Seq[Int]] = Some(Seq(-row))
    }
    assert(outcome(new Late(10), timeout = Some(1000)) === Done(Seq(-7)))
    assert(outcome(new Late(0.1), timeout = Some(1000)).asInstanceOf[Failed].error.getMessage === "own")
  }

  test("a thrown exception is a failed attempt") {
    val thrown = new IllegalStateException("closed")
    assert(outcome(AsyncFunction.of[Int, Int](_ => throw thrown)) === Failed(thrown, 1))
  }

  test("only the failed rows of a batch are retried") {
    val asked = mutable.Buffer.empty[Seq[Int]]
    val batch = new Batch(rows => {
      asked += rows
      rows.map(row =>
        if (row % 2 == 1 && asked.size == 1) Failure(new RuntimeException) else Success(Seq(row))
      )
    })
    assert(outcomes(batch, Seq(1, 2, 3, 4), Retry.upTo(2)) === Seq(1, 2, 3, 4).map(n => Done(Seq(n))))
    assert(asked === Seq(Seq(1, 2, 3, 4), Seq(1, 3)))
  }

  test("a batch with different Retry-After times waits for the longest") {
    val asked = mutable.Buffer.empty[(Double, Seq[Int])]
    val after = Map(1 -> 10000L, 2 -> 30000L, 3 -> 20000L)
    val batch = new Batch(rows => {
      asked += loop.seconds -> rows
      rows.map(row => if (asked.size == 1) Failure(new RetryAfter(after(row))) else Success(Seq(row)))
    })
    outcomes(batch, Seq(1, 2, 3), Retry.upTo(2).withFirstWaitMillis(0))
    assert(asked === Seq(0.0 -> Seq(1, 2, 3), 30.0 -> Seq(1, 2, 3)))
  }

  test("a batch must return a result per row and is not retried otherwise") {
    val asked = mutable.Buffer.empty[Seq[Int]]
    val short = new Batch(rows => { asked += rows; Seq(Success(Nil)) })
    val ended = outcomes(short, Seq(1, 2), Retry.upTo(3))
    assert(ended.map { case f: Failed => CallErrors.of(f).reason; case _ => "" } === Seq("answer", "answer"))
    assert(asked.size === 1)
  }

  test("retries count against the rate limit, and waiting for a permit is outside the timeout") {
    val script = new Script(Seq.fill(2)(new RuntimeException))
    outcome(script, Retry.upTo(3).withFirstWaitMillis(0), timeout = Some(500), between = Some(1000000000L))
    assert(script.seconds === Seq(1, 2, 3))
  }

  /** Fails with each of these in turn, and then answers. */
  private final class Script(errors: Seq[Throwable]) extends AsyncFunction[Int, Int] {
    val seconds: mutable.Buffer[Double] = mutable.Buffer.empty

    override def call(row: Int): Future[Seq[Int]] = {
      seconds += loop.seconds
      errors.lift(seconds.size - 1).fold(Future.successful(Seq(row)))(Future.failed)
    }
  }

  private final class Batch(answer: Seq[Int] => Seq[Try[Seq[Int]]]) extends AsyncBatchFunction[Int, Int] {
    override def call(rows: Seq[Int]): Future[Seq[Try[Seq[Int]]]] = Future.successful(answer(rows))
  }

  private def outcome(
      function: AsyncFunction[Int, Int],
      retry: Retry = Retry.Never,
      timeout: Option[Long] = None,
      between: Option[Long] = None,
      random: () => Double = () => 1.0
  ): Outcome[Int] = outcomes(AsyncBatchFunction.of(function), Seq(7), retry, timeout, between, random).head

  private def outcomes(
      function: AsyncBatchFunction[Int, Int],
      rows: Seq[Int],
      retry: Retry,
      timeout: Option[Long] = None,
      between: Option[Long] = None,
      random: () => Double = () => 1.0
  ): Seq[Outcome[Int]] = {
    var settled = Option.empty[Seq[Outcome[Int]]]
    val pace    = between.map(new RateLimit(_, loop))
    new Caller(function, retry, timeout, pace, loop, random).start(rows)(all => settled = Some(all))
    while (settled.isEmpty) loop.runNext()
    settled.get
  }
}
