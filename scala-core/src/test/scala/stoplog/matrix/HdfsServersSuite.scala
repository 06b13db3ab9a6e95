package stoplog.matrix

import java.util.concurrent.CountDownLatch

import org.apache.spark.SparkThrowable
import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.ManualClock
import stoplog.fault.{Faults, Step}
import stoplog.laws.Elsewhere
import stoplog.store.hdfs.MiniHdfs

/** The servers of HDFS, and real processes, end while a query runs. */
class HdfsServersSuite extends AnyFunSuite {
  private val long = sys.env.get("STOPLOG_LONG").exists(_.nonEmpty)

  test("a run goes on when the NameNode restarts under its calls") {
    val steps = if (long) Steps.ofQueries else Vector(Step.PartOpened, Step.BeforeRecord, Step.MidPublish)
    withPlace() { (place, clock) =>
      val trouble = new Trouble(at => at.occurrence == 2 && steps.contains(at.step))(inBackground {
        MiniHdfs.restartNameNode()
      })
      val run = runs(place, clock, trouble, Checkpoint.empty, Life.planned)
      assert(run.failure === None)
    }
  }

  test("if the client does not wait for the NameNode, the run ends with a name, and the next one goes on") {
    val steps = if (long) Steps.ofQueries else Vector(Step.MidWrite, Step.AfterRecord)
    withPlace(Map.empty) { (place, clock) =>
      val trouble =
        new Trouble(at => at.occurrence == 2 && steps.contains(at.step))(MiniHdfs.restartNameNode())
      untilDone(place, clock, trouble)
    }
  }

  test("a DataNode that restarts while parts are open fails attempts of tasks, and each row is there once") {
    val steps = if (long) Steps.ofQueries else Vector(Step.PartOpened, Step.BeforeSync)
    withPlace() { (place, clock) =>
      val trouble =
        new Trouble(at => at.occurrence == 3 && steps.contains(at.step))(MiniHdfs.restartDataNode())
      untilDone(place, clock, trouble)
    }
  }

  for (step <- Seq(Step.MidWrite, Step.AfterSync, Step.AfterRecord))
    test(s"kill -9 of a process at ${step.name}, and its successor goes on") {
      withPlace() { (place, clock) =>
        val victim = Elsewhere.start(new HdfsServersSuite.Stopped(place, Doom.At(step, 3)))
        val from   =
          try Checkpoint.parse(victim.answer)
          finally victim.kill()
        clock.advance(24 * 60 * 60 * 1000L)
        val heir = new Runs(place, clock, Faults.none, from, Life.rest)
        heir.go()
        assert(heir.failure === None)
      }
    }

  /** As somebody does who starts the query again whenever it has failed. */
  private def untilDone(place: Place, clock: ManualClock, trouble: Faults): Unit = {
    val lives = Iterator
      .iterate(runs(place, clock, trouble, Checkpoint.empty, Life.planned)) { last =>
        runs(place, clock, trouble, last.checkpoint, Life.rest)
      }
      .take(20)
      .takeWhile(_.failure.isDefined)
      .toVector
    assert(lives.size < 20)
    assert(lives.flatMap(_.failure).filterNot(_.isInstanceOf[SparkThrowable]) === Vector.empty)
  }

  private def runs(
      place: Place,
      clock: ManualClock,
      faults: Faults,
      from: Checkpoint,
      planned: Seq[Life.Run]
  ): Runs = {
    val runs = new Runs(place, clock, faults, from, planned)
    runs.go()
    runs
  }

  /** Returns once it has begun. */
  private def inBackground(action: => Unit): Unit = {
    val begun  = new CountDownLatch(1)
    val thread = new Thread(() => { begun.countDown(); action })
    thread.setDaemon(true)
    thread.start()
    begun.await()
  }

  private def withPlace(
      settings: Map[String, String] = HdfsPlace.waiting
  )(test: (HdfsPlace, ManualClock) => Unit): Unit = {
    val place = HdfsPlace.create(Layout.Staging, Content.Plain, settings)
    val clock = Crash.clock()
    try {
      place.leaveOrphans(2)
      test(place, clock)
      assert(Oracle.problems(place, JobRows.Epochs) ++ Aftermath.problems(place, clock) === Vector.empty)
    } finally place.remove()
  }
}

object HdfsServersSuite {

  /** Stops at a step and waits to be killed. */
  final class Stopped(place: HdfsPlace, at: Doom.At) extends Elsewhere.Task {
    override def run(): String =
      new Life(place, Crash.clock(), new Doom(Some(at)), Checkpoint.empty, Life.planned).checkpoint.print

    override def afterwards(): Unit = new CountDownLatch(1).await()
  }
}
