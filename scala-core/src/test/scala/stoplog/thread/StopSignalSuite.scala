// SPDX-License-Identifier: Apache-2.0
package stoplog.thread

import java.util.concurrent.{CompletableFuture, CountDownLatch, TimeoutException}

import org.scalatest.funsuite.AnyFunSuite

class StopSignalSuite extends AnyFunSuite {

  /** Stopped after being asked this number of times. */
  private final class After(looks: Int) extends StopSignal {
    private var seen = 0

    override def isStopped: Boolean = synchronized {
      seen += 1
      seen > looks
    }
  }

  test("a pause ends with an exception after the stop") {
    intercept[InterruptedException](new After(1).pause(Long.MaxValue))
    StopSignal.never.pause(1)
  }

  test("a wait returns the result, the exception, or a timeout, and ends after the stop") {
    val never = new CompletableFuture[String]
    assert(StopSignal.never.await(CompletableFuture.completedFuture("a"), millis = 1) === "a")
    val failed = CompletableFuture.failedFuture[String](new IllegalStateException("b"))
    assert(intercept[IllegalStateException](StopSignal.never.await(failed, millis = 1)).getMessage === "b")
    intercept[TimeoutException](StopSignal.never.await(never, millis = 1))
    intercept[InterruptedException](new After(1).await(never, Long.MaxValue))
  }

  test("a result that is there counts also after the stop") {
    assert(new After(0).await(CompletableFuture.completedFuture("a"), Long.MaxValue) === "a")
  }

  test("a delayed signal follows after the delay, measured from its first look") {
    var now     = 100L
    val delayed = StopSignal.delayed(new After(1), millis = 500, () => now)
    assert(!delayed.isStopped)
    now = 5000
    assert(!delayed.isStopped)
    now = 5499
    assert(!delayed.isStopped)
    now = 5500
    assert(delayed.isStopped)
  }

  test("a blocking call is interrupted after the stop, and otherwise returns its result") {
    val interrupted = new CountDownLatch(1)
    intercept[InterruptedException] {
      StopSignal.interrupting(new After(1)) {
        try new CountDownLatch(1).await()
        catch { case _: InterruptedException => interrupted.countDown() }
      }
    }
    interrupted.await()
    assert(StopSignal.interrupting(new After(Int.MaxValue))(7) === 7)
  }

  test("the signal belongs to the thread and its uninterrupted work") {
    val signal = new After(0)
    assert(StopSignal.ofThisThread eq StopSignal.never)
    StopSignal.during(signal) {
      assert(StopSignal.ofThisThread eq signal)
      assert(Uninterrupted.call(StopSignal.ofThisThread) eq signal)
    }
    assert(StopSignal.ofThisThread eq StopSignal.never)
  }
}
