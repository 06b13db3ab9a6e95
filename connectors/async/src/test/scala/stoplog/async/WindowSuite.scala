// SPDX-License-Identifier: Apache-2.0
package stoplog.async

import scala.collection.mutable
import scala.concurrent.Future
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

/** Order, capacity, back-pressure and the rate limit, by a clock of their own. */
class WindowSuite extends AnyFunSuite {

  for (order <- Seq(Order.Ordered, Order.Unordered)) {

    test(s"$order: each row has a single outcome, and calls stay within capacity") {
      for (seed <- 1 to 100) {
        val random   = new Random(seed)
        val loop     = new VirtualLoop
        val rows     = 0 until random.nextInt(60)
        val capacity = 1 + random.nextInt(12)
        var inFlight = 0
        val service  = AsyncFunction.of[Int, Int] { row =>
          inFlight += 1
          assert(inFlight <= capacity)
          loop.answer(random.nextDouble()) { inFlight -= 1; -row }
        }
        val seen = run(loop, rows.iterator, service, capacity, order)
        assert(seen.sorted === rows.map(row => (row, -row)))
        if (order == Order.Ordered) assert(seen === seen.sorted)
      }
    }

    test(s"$order: ten thousand calls take as many rounds as capacity requires") {
      val loop    = new VirtualLoop
      val service = AsyncFunction.of[Int, Int](row => loop.answer(0.05)(row))
      assert(run(loop, (1 to 10000).iterator, service, 500, order).size === 10000)
      assert(loop.seconds === 1.0)
    }
  }

  test("results of unordered calls are returned in order of completion") {
    def seen(order: Order) = {
      val loop = new VirtualLoop
      run(loop, Iterator(3, 1, 2), AsyncFunction.of[Int, Int](row => loop.answer(row)(row)), 3, order)
        .map(_._1)
    }
    assert(seen(Order.Unordered) === Seq(1, 2, 3))
    assert(seen(Order.Ordered) === Seq(3, 1, 2))
  }

  test("a slow call delays others only in ordered mode") {
    def seconds(order: Order) = {
      val loop = new VirtualLoop
      val rows = Iterator(10) ++ Iterator.fill(10)(1)
      run(loop, rows, AsyncFunction.of[Int, Int](row => loop.answer(row)(row)), 2, order)
      loop.seconds
    }
    assert(seconds(Order.Unordered) === 10.0) // ten short ones beside the long one
    assert(seconds(Order.Ordered) === 14.0)   // three beside it, then two at a time
  }

  test("input is read only when there is room") {
    val loop  = new VirtualLoop
    var taken = 0
    var read  = 0
    val rows  = Iterator.tabulate(20) { row => assert(read - taken < 6); read += 1; row }
    val task  = AsyncSettings(capacity = 3)
    for (_ <- outcomes(loop, rows, AsyncFunction.of[Int, Int](row => loop.answer(1)(row)), task)) taken += 1
    assert(taken === 20)
  }

  test("a failed call ends the task immediately, even after slower calls") {
    val loop    = new VirtualLoop
    val service = AsyncFunction.of[Int, Int] { row =>
      loop.answer(if (row == 3) 1 else 100)(if (row == 3) throw new RuntimeException("broken") else row)
    }
    val error =
      intercept[stoplog.error.StoplogException](run(loop, Iterator(1, 2, 3), service, 5, Order.Ordered))
    assert(error.getCondition === "STOPLOG_ASYNC_CALL_FAILED")
    assert(error.getMessage.contains("RuntimeException: broken"))
    assert(loop.seconds === 1.0)
  }

  test("rejected rows are returned in order with their errors") {
    val loop    = new VirtualLoop
    val service =
      AsyncFunction.of[Int, Int](row => if (row == 2) Future.failed(new RetryAfter(1)) else Future(row))
    val task     = new AsyncTask(AsyncBatchFunction.of(service), 1, AsyncSettings(), _ => true)
    val outcomes = task.on(loop, Iterator(1, 2, 3), () => 1.0).toSeq
    assert(outcomes.map(_._1) === Seq(1, 2, 3))
    assert(outcomes(1)._2.isInstanceOf[Outcome.Failed])
  }

  test("batches contain rows in order, and the last batch the remainder") {
    val loop  = new VirtualLoop
    val sizes = mutable.Buffer.empty[Seq[Int]]
    val batch = new AsyncBatchFunction[Int, Int] {
      override def call(rows: Seq[Int]) = {
        sizes += rows
        Future.successful(rows.map(row => scala.util.Success(Seq(row))))
      }
    }
    new AsyncTask(batch, 4, AsyncSettings(), _ => true)
      .on(loop, (1 to 10).iterator, () => 1.0)
      .foreach(_ => ())
    assert(sizes === Seq(1 to 4, 5 to 8, 9 to 10))
  }

  test("a rate limit holds in every window") {
    for (seed <- 1 to 50) {
      val random  = new Random(seed)
      val loop    = new VirtualLoop
      val between = 10000000L + random.nextInt(1000000000)
      val pace    = new RateLimit(between, loop)
      val times   = mutable.Buffer.empty[Long]
      for (_ <- 1 to 40)
        loop.after(random.nextInt(2000000000).toLong) { () =>
          pace.turn { () =>
            times += loop.nowNanos
            if (random.nextInt(5) == 0) loop.elapse(random.nextDouble())
          }
        }
      while (times.size < 40) loop.runNext()
      for {
        first <- times.indices
        last  <- first until times.size
      }
        assert(
          last - first + 1 <= (times(last) - times(first) + RateLimit.CatchUpNanos) / between.toDouble + 1
        )
    }
  }

  test("waiting calls run at the maximum rate and catch up after a short delay") {
    val between = RateLimit.CatchUpNanos / 5
    val delays  =
      Seq(0L -> 0L, RateLimit.CatchUpNanos -> 0L, 3 * RateLimit.CatchUpNanos -> 2 * RateLimit.CatchUpNanos)
    for ((late, lost) <- delays) {
      val loop  = new VirtualLoop
      val pace  = new RateLimit(between, loop)
      val times = mutable.Buffer.empty[Long]
      for (n <- 1 to 40) pace.turn { () =>
        times += loop.nowNanos
        if (n == 10 && late > 0) loop.elapse((between + late) / 1e9)
      }
      while (times.size < 40) loop.runNext()
      assert(times.take(10) === (1L to 10L).map(_ * between))
      assert(times.last === 40 * between + lost, s"when a call is $late ns late")
    }
  }

  private implicit val executor: scala.concurrent.ExecutionContext =
    scala.concurrent.ExecutionContext.parasitic

  private def run(
      loop: VirtualLoop,
      rows: Iterator[Int],
      service: AsyncFunction[Int, Int],
      capacity: Int,
      order: Order
  ): Seq[(Int, Int)] =
    outcomes(loop, rows, service, AsyncSettings(order, capacity)).collect {
      case (row, Outcome.Done(Seq(answer))) =>
        (row, answer)
    }.toSeq

  private def outcomes(
      loop: VirtualLoop,
      rows: Iterator[Int],
      service: AsyncFunction[Int, Int],
      settings: AsyncSettings
  ): Iterator[(Int, Outcome[Int])] =
    new AsyncTask(AsyncBatchFunction.of(service), 1, settings, _ => false).on(loop, rows, () => 1.0)
}
