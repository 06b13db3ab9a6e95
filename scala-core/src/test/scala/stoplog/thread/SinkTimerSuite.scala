// SPDX-License-Identifier: Apache-2.0
package stoplog.thread

import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import scala.collection.mutable

import org.scalatest.funsuite.AnyFunSuite

class SinkTimerSuite extends AnyFunSuite {

  test("repeats the work after a fixed delay until the work returns Stop") {
    val threads = new ManualThreads
    var works   = 0
    SinkTimer.on(threads, 100, SinkTimer.Limit.none) {
      works += 1
      threads.pass(30)
      if (works == 3) SinkTimer.Stop else SinkTimer.Again
    }
    threads.pass(99)
    assert(works === 0)
    threads.pass(1)
    assert(works === 1)
    threads.pass(99)
    assert(works === 1)
    threads.pass(1)
    assert(works === 2)
    threads.pass(10000)
    assert(works === 3)
  }

  test("stops once cancelled") {
    val threads = new ManualThreads
    var works   = 0
    val timer   = SinkTimer.on(threads, 100, SinkTimer.Limit.none) { works += 1; SinkTimer.Again }
    threads.pass(100)
    timer.cancel()
    threads.pass(1000)
    assert(works === 1)
  }

  test("reports work slower than its limit once") {
    val threads = new ManualThreads
    var reports = 0
    var takes   = 59L
    SinkTimer.on(threads, 100, SinkTimer.Limit(60, () => reports += 1)) {
      threads.pass(takes); SinkTimer.Again
    }
    threads.pass(100)
    assert(reports === 0)
    takes = 600
    threads.pass(100)
    assert(reports === 1)
  }

  test("a timer continues while ten other timers hang") {
    val release = new CountDownLatch(1)
    val hung    = new CountDownLatch(10)
    val worked  = new CountDownLatch(3)
    val others  = Seq.fill(10)(SinkTimer.every(1) { hung.countDown(); release.await(); SinkTimer.Stop })
    try {
      assert(hung.await(60, TimeUnit.SECONDS))
      val timer = SinkTimer.every(1) { worked.countDown(); SinkTimer.Again }
      assert(worked.await(60, TimeUnit.SECONDS))
      timer.cancel()
    } finally {
      others.foreach(_.cancel())
      release.countDown()
    }
  }

  test("runs the work on a single thread at a time") {
    val atOnce = new AtomicInteger
    val most   = new AtomicInteger
    val done   = new CountDownLatch(50)
    val timer  = SinkTimer.every(0) {
      most.accumulateAndGet(atOnce.incrementAndGet(), math.max)
      atOnce.decrementAndGet()
      done.countDown()
      SinkTimer.Again
    }
    assert(done.await(60, TimeUnit.SECONDS))
    timer.cancel()
    assert(most.get === 1)
  }

  /** Runs what is due when time passes, on the caller's thread. */
  private final class ManualThreads extends SinkTimer.Threads {
    private val due = mutable.ArrayBuffer.empty[(Long, () => Unit)]
    private var now = 0L

    override def after(millis: Long)(action: => Unit): Unit = due += ((now + millis, () => action))

    def pass(millis: Long): Unit = {
      val end                              = now + millis
      def next: Option[(Long, () => Unit)] = due.sortBy(_._1).headOption.filter(_._1 <= end)
      var entry                            = next
      while (entry.isDefined) {
        due -= entry.get
        now = now.max(entry.get._1)
        entry.get._2()
        entry = next
      }
      now = now.max(end)
    }
  }
}
