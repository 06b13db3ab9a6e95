// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import java.util.concurrent.{CountDownLatch, Executors, TimeUnit}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.fault.Faults
import stoplog.source.file.FileSplit
import stoplog.source.{ReadLimits, SourceDriver}

/** Several drivers on one checkpoint at once, as after a network split. */
abstract class SourceDriversSuite(storage: SourceStorage) extends AnyFunSuite {

  test("the second driver to plan a micro-batch is rejected, and the first plan stays") {
    withPlace { place =>
      place.arrive("a", "1\n2\n", 0)
      val (old, young) = (driver(place), driver(place))
      assert(old.plan(0, one) === 1)
      place.arrive("b", "3\n", 0)
      // It has not looked at the log before, so it takes what is there for its own plan.
      assert(young.plan(0, one) === 1)
      assert(young.plan(1, one) === 2)
      assert(condition(old.plan(1, one)) === "STOPLOG_FENCED")
      assert(paths(young, 0, 2) === Seq("a", "b"))
      assert(paths(driver(place), 0, 2) === Seq("a", "b"))
    }
  }

  test("a rejected driver cleans no files that the other driver has not read") {
    withPlace { place =>
      place.arrive("a", "1\n", 0)
      val old = driver(place, SourceMode.Delete)
      assert(old.plan(0, one) === 1)
      place.arrive("b", "2\n", 0)
      val young = driver(place, SourceMode.Delete)
      assert(young.plan(0, one) === 1)
      assert(young.plan(1, one) === 2)
      assert(condition(old.plan(1, one)) === "STOPLOG_FENCED")
      old.committed(1)
      assert(place.unread().keySet === Set("b"))
      young.committed(2)
      assert(place.unread().keySet === Set.empty)
    }
  }

  /** For storages that create a file in one step; S3Mock looks, and then writes. */
  protected final def testChase(): Unit = test("competing drivers assign each file to a single plan") {
    withPlace { place =>
      val names = (1 to 40).map(number => f"f$number%02d")
      names.foreach(name => place.arrive(name, s"$name\n", 0))
      val start   = new CountDownLatch(1)
      val pool    = Executors.newFixedThreadPool(Racers)
      val results =
        (1 to Racers).map(_ => pool.submit((() => { start.await(); race(place, names.size) }): Runnable))
      start.countDown()
      results.foreach(_.get(300, TimeUnit.SECONDS))
      pool.shutdown()
      assert(paths(driver(place), 0, names.size.toLong).sorted === names)
    }
  }

  /** Plans from where the log ends, anew whenever it is refused. */
  private def race(place: SourcePlace, until: Int): Unit = {
    var at = 0L
    while (at < until) {
      val mine = driver(place)
      try while (at < until) at = mine.plan(at, one)
      catch { case e: StoplogException if conditionOf(e) == "STOPLOG_FENCED" => () }
    }
  }

  private def withPlace(test: SourcePlace => Unit): Unit = {
    val place = storage.newPlace()
    try test(place)
    finally place.remove()
  }

  private def driver(place: SourcePlace, mode: SourceMode = SourceMode.Keep): SourceDriver[FileSplit] =
    new SourceDriver(SourceRun.source(place, mode, Faults.none), place.state(Faults.none))

  private def paths(driver: SourceDriver[FileSplit], from: Long, until: Long): Seq[String] =
    driver.splits(from, until).map(_.file.path).toVector

  private def condition(action: => Any): String = conditionOf(intercept[StoplogException](action))

  private def conditionOf(e: Throwable): String = e match {
    case named: StoplogException => named.getCondition
    case other                   => throw other
  }

  private def one = ReadLimits.none.copy(splits = Some(1))

  private val Racers = 3
}

class LocalSourceDriversSuite extends SourceDriversSuite(SourceStorage.Local) {
  testChase()
}

class HdfsSourceDriversSuite extends SourceDriversSuite(SourceStorage.Hdfs) {
  testChase()
}

class S3SourceDriversSuite extends SourceDriversSuite(SourceStorage.S3)
