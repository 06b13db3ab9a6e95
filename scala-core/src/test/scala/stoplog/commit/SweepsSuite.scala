// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.fault.Faults
import stoplog.part.RunId
import stoplog.storage.NewPart
import stoplog.thread.Parallel

/** P-83, P-84: when a run lists unfinished files, and when it deletes them. */
class SweepsSuite extends AnyFunSuite {

  test("with few open parts, a sweep lists and deletes at once") {
    val run = new Run
    run.orphan("old")
    run.sweeps.sweep(run.newest)
    assert(run.staged === Vector("t1") && run.later.isEmpty)
  }

  test("with very many open parts, a separate thread lists, and the next moment without an epoch deletes") {
    val run = new Run
    run.orphan("old")
    run.sweeps.sweep(run.many)
    assert(run.staged.size === 2 && run.later.size === 1)
    run.sweeps.sweepListed()
    assert(run.staged.size === 2, "nothing is listed yet")
    run.later.foreach(_.run())
    assert(run.staged.size === 2, "the thread deletes nothing")
    run.sweeps.sweepListed()
    assert(run.staged === Vector("t1"))
  }

  test("a listed file that an epoch has recorded since is kept") {
    val run  = new Run
    val plan = run.driver.begin(1, slots = 1)
    val done = run.world.task(plan, 0, "b")
    run.sweeps.sweep(run.many)
    run.later.foreach(_.run())
    run.driver.commit(1, Seq(done))
    run.sweeps.sweepListed()
    assert(run.staged === Vector("t1", "t2"))
  }

  test("a run that was fenced after the listing deletes nothing") {
    val run = new Run
    run.orphan("old")
    run.sweeps.sweep(run.many)
    run.later.foreach(_.run())
    run.world.driver(run = other).begin(1, slots = 1): Unit
    run.orphan("of the new run")
    run.sweeps.sweepListed()
    assert(run.staged.contains("t3"))
  }

  test("a further sweep is due an hour after the last one") {
    val run = new Run
    run.sweeps.sweep(run.many)
    run.world.clock.advance(3599999)
    run.sweeps.sweepIfDue(run.many)
    assert(run.later.size === 1)
    run.world.clock.advance(1)
    run.sweeps.sweepIfDue(run.many)
    assert(run.later.size === 2)
  }

  /** A run with the open part `t1`, whose files are all old. */
  private final class Run {
    val world  = new DriverWorld(Rolls.never)
    val driver = world.driver()
    world.epoch(driver, 0, "a")

    private val tools =
      DriverTools(world.clock, Faults.none, DriverLock.semaphore(), Parallel.sequential, StorageRetry.never)

    private val ledger = new Ledger(mine, identity, world.stores, LostPart.Fail, MemoryNotes.unasked, tools)

    /** The actions for the separate thread. */
    var later = Vector.empty[Runnable]

    val sweeps = new Sweeps(ledger, MemoryNotes.unasked, world.clock, action => later :+= action)

    def newest = world.newest

    /** The newest record, as if it had very many open parts. */
    def many = {
      val state = newest.state
      newest.copy(state = state.copy(open = Vector.fill(Sweeps.FewParts + 1)(state.open.head)))
    }

    def orphan(name: String): Unit = world.parts.create(NewPart("a", name, RunId.random())).finish(): Unit

    def staged: Vector[String] = world.parts.staged().map(_.token)
  }
}
