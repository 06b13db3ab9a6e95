// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch}

import scala.util.Try

import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.commit.ManualClock
import stoplog.fault.{Faults, Step}
import stoplog.storage.hdfs.MiniHdfs

/** The servers of HDFS, and real processes, end while a query runs. */
class HdfsServersSuite extends AnyFunSuite with LongRun {
  private val long = Cells.inLongRun

  test("a run continues when the NameNode restarts during its calls") {
    val steps = if (long) Steps.ofQueries else Vector(Step.PartOpened, Step.MidPublish)
    withPlace() { (place, clock) =>
      val restarts = new ConcurrentLinkedQueue[Thread]
      val trouble  =
        new ServerFault(at => at.occurrence == 2 && steps.contains(at.step))(restarts.add(inBackground {
          MiniHdfs.restartNameNode()
        }))
      val ended = Restarts.run(place, clock, trouble, Checkpoint.empty, ProcessRun.planned)
      restarts.forEach(_.join())
      assert(ended.failure === None)
    }
  }

  test("without client retries, a NameNode restart fails the run, and the next run recovers") {
    val steps = if (long) Steps.ofQueries else Vector(Step.AfterRecord)
    withPlace(Map.empty) { (place, clock) =>
      val trouble =
        new ServerFault(at => at.occurrence == 2 && steps.contains(at.step))(MiniHdfs.restartNameNode())
      assert(Restarts.problems(place, clock, trouble) === Vector.empty)
    }
  }

  test("a DataNode restart fails task attempts, and each row appears once") {
    val steps = if (long) Steps.ofQueries else Vector(Step.PartOpened, Step.BeforeSync)
    withPlace() { (place, clock) =>
      val trouble =
        new ServerFault(at => at.occurrence == 3 && steps.contains(at.step))(MiniHdfs.restartDataNode())
      assert(Restarts.problems(place, clock, trouble) === Vector.empty)
    }
  }

  for (step <- if (long) Seq(Step.MidWrite, Step.AfterSync, Step.AfterRecord) else Seq(Step.MidWrite))
    test(s"a successor recovers from kill -9 of a process at ${step.name}") {
      withPlace() { (place, clock) =>
        val from = StoppedProcess.killed(place, CrashPoint.At(step, 3))
        clock.advance(24 * 60 * 60 * 1000L)
        assert(Restarts.run(place, clock, Faults.none, from, ProcessRun.rest).failure === None)
      }
    }

  /** Returns once it has begun. */
  private def inBackground(action: => Unit): Thread = {
    val begun  = new CountDownLatch(1)
    val thread = new Thread(() => { begun.countDown(); action })
    thread.setDaemon(true)
    thread.start()
    begun.await()
    thread
  }

  private def withPlace(
      settings: Map[String, String] = HdfsPlace.waiting
  )(test: (HdfsPlace, ManualClock) => Unit): Unit = {
    val place = HdfsPlace.create(Layout.Staging, Content.Plain, settings = settings)
    val clock = Crash.clock()
    try {
      // Hadoop keeps connections for all clients of a process. One to a NameNode that has been restarted since fails
      // the first call that takes it.
      Try(place.parts(Faults.none).staged())
      place.leaveOrphans(2)
      test(place, clock)
      assert(Oracle.problems(place, JobRows.Epochs) ++ CleanupCheck.problems(place, clock) === Vector.empty)
    } finally place.remove()
  }
}
