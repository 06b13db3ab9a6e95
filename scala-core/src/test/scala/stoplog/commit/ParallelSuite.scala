package stoplog.commit

import java.util.concurrent.CyclicBarrier
import java.util.concurrent.atomic.AtomicInteger

import org.scalatest.funsuite.AnyFunSuite

class ParallelSuite extends AnyFunSuite {

  for ((name, parallel) <- Seq("sequential" -> Parallel.sequential, "bounded" -> Parallel.bounded(4))) {
    test(s"$name: answers in the order of the items") {
      assert(parallel.map(1 to 50)(_ * 2) === (1 to 50).map(_ * 2))
      assert(parallel.map(Seq.empty[Int])(_ * 2) === Seq.empty)
    }

    test(s"$name: a failure is thrown as it was") {
      val failure = new IllegalStateException("7")
      val thrown  =
        intercept[IllegalStateException](parallel.map(1 to 9)(n => if (n == 7) throw failure else n))
      assert(thrown eq failure)
    }
  }

  test("bounded: really at once, and all actions have ended when the first failure is thrown") {
    val barrier = new CyclicBarrier(4)
    val ended   = new AtomicInteger()
    intercept[IllegalArgumentException](Parallel.bounded(4).map(1 to 4) { n =>
      barrier.await()
      ended.incrementAndGet()
      if (n == 1) throw new IllegalArgumentException("first")
    })
    assert(ended.get === 4)
  }

  test("bounded: an interrupt does not stop what was decided, and is kept") {
    Thread.currentThread().interrupt()
    val done = Parallel.bounded(3).map(1 to 20)(identity)
    assert(Thread.interrupted())
    assert(done === (1 to 20))
  }
}
