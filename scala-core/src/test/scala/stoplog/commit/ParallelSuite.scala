// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.util.concurrent.{CompletableFuture, ConcurrentHashMap, CountDownLatch, CyclicBarrier, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import org.scalatest.funsuite.AnyFunSuite

import stoplog.thread.Parallel

class ParallelSuite extends AnyFunSuite {

  private val all = Seq(
    "sequential"    -> Parallel.sequential,
    "bounded"       -> Parallel.bounded(4),
    "interruptible" -> Parallel.interruptible(4)
  )

  for ((name, parallel) <- all) {
    test(s"$name: returns results in the order of the items") {
      assert(parallel.map(1 to 50)(_ * 2) === (1 to 50).map(_ * 2))
      assert(parallel.map(Seq.empty[Int])(_ * 2) === Seq.empty)
    }

    test(s"$name: a failed action does not prevent the others, whose failures are added as suppressed") {
      for (count <- Seq(2, 9)) {
        val tried  = ConcurrentHashMap.newKeySet[Int]()
        val thrown = intercept[IllegalStateException](parallel.map(1 to count) { n =>
          tried.add(n)
          if (n < count) throw new IllegalStateException(s"$n")
        })
        assert(tried.size === count)
        assert(
          thrown.getMessage +: thrown.getSuppressed.map(_.getMessage) === (1 until count).map(_.toString)
        )
      }
    }

    test(s"$name: a failure shared by several actions is thrown once") {
      val failure = new IllegalStateException("all")
      val thrown  = intercept[IllegalStateException](parallel.map(1 to 9)(_ => throw failure))
      assert((thrown eq failure) && thrown.getSuppressed.isEmpty)
    }

    test(s"$name: a failure is thrown unchanged") {
      val failure = new IllegalStateException("7")
      val thrown  =
        intercept[IllegalStateException](parallel.map(1 to 9)(n => if (n == 7) throw failure else n))
      assert(thrown eq failure)
    }
  }

  test("bounded: actions run concurrently, and all end before the first failure is thrown") {
    val barrier = new CyclicBarrier(4)
    val ended   = new AtomicInteger()
    intercept[IllegalArgumentException](Parallel.bounded(4).map(1 to 4) { n =>
      barrier.await()
      ended.incrementAndGet()
      if (n == 1) throw new IllegalArgumentException("first")
    })
    assert(ended.get === 4)
  }

  test("bounded: work runs in parallel up to the given limit") {
    val barrier = new CyclicBarrier(2)
    assert(Parallel.bounded(4).mapWork(1 to 2, atOnce = 2) { n => barrier.await(); n } === Seq(1, 2))
    val running = new AtomicInteger()
    val most    = Parallel.bounded(4).mapWork(1 to 9, atOnce = 2) { _ =>
      try running.incrementAndGet()
      finally { running.decrementAndGet(); () }
    }
    assert(most.max <= 2)
    val caller = Thread.currentThread()
    assert(
      Parallel.bounded(4).mapWork(1 to 3, atOnce = 1)(_ => Thread.currentThread()) === Seq.fill(3)(caller)
    )
  }

  test("bounded: an interrupt does not stop the actions, and is kept") {
    Thread.currentThread().interrupt()
    val done = Parallel.bounded(3).map(1 to 20)(identity)
    assert(Thread.interrupted())
    assert(done === (1 to 20))
  }

  test("interruptible: an interrupt ends all running actions before the call throws") {
    val begun  = new CountDownLatch(2)
    val ended  = new AtomicInteger()
    val caller = new CompletableFuture[Int]()
    val thread = new Thread(() => {
      try
        Parallel.interruptible(2).map(1 to 9) { _ =>
          begun.countDown()
          try new CountDownLatch(1).await()
          finally ended.incrementAndGet()
        }
      catch { case _: InterruptedException => caller.complete(ended.get) }
      ()
    })
    thread.start()
    begun.await()
    thread.interrupt()
    assert(caller.get(300, TimeUnit.SECONDS) === 2, "those that ran; the others never began")
  }

  test("bounded: up to two requests, or a single work item, run on the caller's thread") {
    val caller = Thread.currentThread()
    assert(Parallel.bounded(4).map(1 to 2)(_ => Thread.currentThread()) === Seq(caller, caller))
    assert(!Parallel.bounded(4).map(1 to 3)(_ => Thread.currentThread()).contains(caller))
    assert(Parallel.bounded(4).mapWork(Seq(1), atOnce = 4)(_ => Thread.currentThread()) === Seq(caller))
  }

  test("bounded: work uses at most the pool's threads, regardless of the given limit") {
    val threads = Parallel.bounded(2).mapWork(1 to 6, atOnce = 6)(_ => Thread.currentThread())
    assert(threads.distinct.size <= 2)
  }
}
