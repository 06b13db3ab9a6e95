// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.commit.ManualClock
import stoplog.fault.{Faults, Step}
import stoplog.servers.S3Server

/** The server of S3, and real processes, end while a query runs. */
class S3ServersSuite extends AnyFunSuite with LongRun {
  private val long = Cells.inLongRun

  test("a run continues when the server restarts between requests") {
    val steps  = if (long) Storage.S3.steps else Vector(Step.AfterRecord)
    val server = S3Server.startS3Mock()
    try
      withPlace(S3Place.at(server, Content.Heavy)) { (place, clock) =>
        val trouble = new ServerFault(at => at.occurrence == 2 && steps.contains(at.step))(server.restart())
        assert(Restarts.problems(place, clock, trouble) === Vector.empty)
      }
    finally server.kill()
  }

  for (step <- if (long) Seq(Step.MidWrite, Step.AfterSync, Step.AfterRecord) else Seq(Step.MidWrite))
    test(s"a successor recovers from kill -9 of a process at ${step.name}") {
      withPlace(S3Place.create(Content.Heavy)) { (place, clock) =>
        val from = StoppedProcess.killed(place, CrashPoint.At(step, 3))
        clock.advance(24 * 60 * 60 * 1000L)
        assert(Restarts.run(place, clock, Faults.none, from, ProcessRun.rest).failure === None)
      }
    }

  private def withPlace(place: S3Place)(test: (S3Place, ManualClock) => Unit): Unit = {
    val clock = Crash.clock()
    try {
      place.leaveOrphans(2)
      test(place, clock)
      assert(Oracle.problems(place, JobRows.Epochs) ++ CleanupCheck.problems(place, clock) === Vector.empty)
    } finally place.remove()
  }
}
