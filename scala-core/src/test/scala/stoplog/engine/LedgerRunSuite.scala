// SPDX-License-Identifier: Apache-2.0
package stoplog.engine

import java.io.IOException

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.{BatchDigests, DriverWorld, Finish, Rolls, SinkStats}
import stoplog.error.{PythonErrors, StoplogException}
import stoplog.plan.TaskPlans
import stoplog.rolling.{PartStats, PolicyOfAllParts, RollReason}
import stoplog.sink.BatchTimes

class LedgerRunSuite extends AnyFunSuite {

  test("an epoch that fails to start after the claim leaves the driver idle") {
    val world   = new DriverWorld(Rolls.never)
    val earlier = world.driver()
    world.epoch(earlier, 0, "a")
    earlier.end(Finish.KeepOpen)
    val run = runOf(world, (_, _) => throw new InterruptedException)
    intercept[InterruptedException](run.begin(epoch(1)))
    assert(run.endIfIdle())
    assert(world.rows === Vector("row of a"))
  }

  test("a successful query ends successfully even if its connection cannot be closed") {
    val world = new DriverWorld(Rolls.never)
    val run   =
      runOf(world, (_, _) => throw new InterruptedException, closed = throw new IOException("it is gone"))
    assert(run.end(exception = None))
  }

  test("before the first data, the figures contain the parts that an earlier run has left open") {
    val world   = new DriverWorld(Rolls.never)
    val earlier = world.driver()
    world.epoch(earlier, 0, "a", "b")
    earlier.end(Finish.KeepOpen)
    val open = world.newest.state.open
    val run  = runOf(world, (_, _) => fail("no epoch"), found = SinkStats.empty.copy(open = open))
    run.waitFrom(world.newest.seq)
    assert(run.counts.toMap.apply("openParts") === 2)
    assert(run.end(exception = None))
    assert(run.counts.toMap.apply("openParts") === 0)
  }

  test("a policy in Python that fails between epochs fails the next epoch, unless a later call succeeds") {
    val failure = PythonErrors.failed(PythonErrors.Call("a policy", "due"), "ValueError: no", traceback = "")
    var fails   = false
    val world   = new DriverWorld(new PolicyOfAllParts {
      override def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason]         = None
      override def onTick(parts: Seq[PartStats], nowMillis: Long): Seq[Option[RollReason]] =
        if (fails) throw failure else parts.map(_ => None)
      override def close(): Unit = ()
    })
    world.epoch(world.driver(), 0, "a")
    val run = runOf(world, (_, _) => throw new InterruptedException)
    intercept[InterruptedException](run.begin(epoch(1)))
    fails = true
    run.tick()
    assert(intercept[StoplogException](run.begin(epoch(1))) eq failure)
    fails = false
    run.tick()
    intercept[InterruptedException](run.begin(epoch(1)))
  }

  private def runOf(
      world: DriverWorld,
      writers: (TaskPlans, EpochStart) => Nothing,
      closed: => Unit = (),
      found: SinkStats = SinkStats.empty
  ) =
    new LedgerRun[String](
      "Sink main",
      world.driver(),
      heartbeat = None,
      tickMillis = 3600000,
      LedgerRun.Hooks[String](
        writers,
        probe = () => (),
        finish = _ => Finish.PublishOpen,
        LedgerRun.Events(closed = () => closed),
        found
      )
    )

  private def epoch(batch: Long): EpochStart =
    EpochStart(
      batch,
      slots = 1,
      BatchDigests.unknown,
      BatchTimes.unknown,
      carrier = _ => fail("the plan is small")
    )
}
