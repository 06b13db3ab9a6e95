// SPDX-License-Identifier: Apache-2.0
package stoplog.engine

import java.io.IOException

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.{BatchDigests, DriverWorld, Finish, Rolls, SinkStats}
import stoplog.plan.TaskPlans
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
