// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import java.util.concurrent.{CountDownLatch, Executors}

import scala.util.Try

import org.apache.spark.SparkThrowable
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.commit._
import stoplog.error.StoplogException
import stoplog.fault.Faults
import stoplog.part.RunId
import stoplog.plan.{Attempt, EpochPlan, TaskResult}
import stoplog.servers.{FaultProxy, S3Server}
import stoplog.thread.Clock
import stoplog.writing.TaskWriter

/** Two drivers of one query at once, as after a network split: the older one is fenced before it publishes anything. */
abstract class TwoDriversSuite(storage: Storage) extends AnyFunSuite {
  private val rows = Vector("a" -> "one", "b" -> "two", "" -> "three", "a" -> "four")

  test("output of the older driver's tasks is not published after a newer driver starts") {
    withPlace { place =>
      val (old, young) = (driver(place), driver(place))
      val plan         = old.begin(0, slots = 1)
      val written      = write(place, plan)
      val next         = young.begin(0, slots = 1)
      assert(condition(old.commit(0, Seq(written))) === "STOPLOG_FENCED")
      assert(visible(place) === Vector.empty)
      young.commit(0, Seq(write(place, next)))
      young.end(Finish.PublishOpen)
      assert(visible(place) === rows.map(_._2).sorted)
      assert(!old.tick())
      old.end(Finish.PublishOpen)
      assert(visible(place) === rows.map(_._2).sorted)
    }
  }

  test("a late task of the older driver fails to start or changes no rows") {
    withPlace { place =>
      val old   = driver(place)
      val first = old.begin(0, slots = 1)
      old.commit(0, Seq(write(place, first)))
      val plan  = old.begin(1, slots = 1)
      val begun = writer(place, plan)
      begun.write("a", "zombie")
      val young = driver(place)
      val next  = young.begin(1, slots = 1)
      val late  = writer(place, plan)
      comesLate(late.write("b", "late"))
      young.commit(1, Seq(write(place, next)))
      Try(late.commit())
      Try(begun.write("b", "zombie"))
      Try(begun.commit()).toOption.foreach { written =>
        assert(condition(old.commit(1, Seq(written))) === "STOPLOG_FENCED")
      }
      young.end(Finish.PublishOpen)
      assert(visible(place) === (rows ++ rows).map(_._2).sorted)
    }
  }

  test("competing drivers write each row once") {
    withPlace { place =>
      val clock  = Crash.clock()
      val start  = new CountDownLatch(1)
      val pool   = Executors.newFixedThreadPool(Racers)
      val racers = (1 to Racers).map(_ => pool.submit { () => start.await(); race(place, clock) })
      start.countDown()
      val failures = racers.flatMap(_.get())
      pool.shutdown()
      assert(failures.filterNot(_.isInstanceOf[SparkThrowable]) === Vector.empty)
      val last = new Runs(place, clock, Faults.none, checkpoint(place), ProcessRun.rest)
      last.go()
      assert(last.failure === None)
      assert(Oracle.problems(place, JobRows.Epochs) ++ CleanupCheck.problems(place, clock) === Vector.empty)
    }
  }

  /** Begins where the log ends, some times over unless nothing is left to do. Answers what went wrong. */
  private def race(place: Place, clock: ManualClock): Vector[Throwable] = Iterator
    .continually(checkpoint(place))
    .take(Tries)
    .takeWhile(_.committed + 1 < JobRows.Epochs)
    .flatMap { from =>
      val runs = new Runs(place, clock, Faults.none, from, ProcessRun.rest)
      runs.go()
      runs.failure
    }
    .toVector

  private def checkpoint(place: Place): Checkpoint = {
    val last = place.log(Faults.none).newest().flatMap(_.state.lastEpoch).getOrElse(-1L)
    Checkpoint(last, last)
  }

  protected def newPlace(): Place = Scenario.all(storage).head.newPlace()

  private def withPlace(test: Place => Unit): Unit = {
    val place = newPlace()
    try test(place)
    finally place.remove()
  }

  private def driver(place: Place): SinkDriver =
    Job.driver(place, Clock.system, Faults.none, RunId.random())

  private def writer(place: Place, plan: EpochPlan): TaskWriter[String] = Job.writer(
    plan.forTask(0, Attempt.First),
    place,
    place.content,
    place.parts(Faults.none),
    place.log(Faults.none),
    Clock.system,
    Faults.none
  )

  private def write(place: Place, plan: EpochPlan): TaskResult = {
    val task = writer(place, plan)
    rows.foreach { case (bucket, row) => task.write(bucket, row) }
    task.commit()
  }

  private def visible(place: Place): Vector[String] = place
    .files()
    .filter(Oracle.isVisible)
    .flatMap(file => place.content.lines(place.read(file)))
    .sorted

  /** A task of the older driver begins after the younger one has claimed the log. */
  protected def comesLate(begin: => Unit): Unit = assert(condition(begin) === "STOPLOG_FENCED")

  private def condition(action: => Any): String = intercept[StoplogException](action).getCondition

  private val Racers = 3
  private val Tries  = 4 // for ever, and they might keep each other from doing anything
}

class LocalTwoDriversSuite extends TwoDriversSuite(Storage.Local)

class HdfsTwoDriversSuite extends TwoDriversSuite(Storage.Hdfs)

/** With conditional writes that are atomic, as Amazon's are: the proxy sees to that. */
class S3TwoDriversSuite extends TwoDriversSuite(Storage.S3) with BeforeAndAfterAll with LongRun {
  private lazy val proxy = FaultProxy.before(S3Server.sharedS3Mock.endpoint)

  override protected def afterAll(): Unit = proxy.close()

  override protected def newPlace(): Place =
    S3Place.through(S3Server.sharedS3Mock, proxy.endpoint, Content.Plain)

  /** It does not look, as it can reach nothing that a record names (decision 0029). */
  protected override def comesLate(begin: => Unit): Unit = begin
}
