// SPDX-License-Identifier: Apache-2.0
package stoplog.source

import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.fault.{Faults, InjectedFault, Step}
import stoplog.laws.MemoryState
import stoplog.source.file.{Extent, FileSplit}
import stoplog.storage.SourceFile

class SplitLogSuite extends AnyFunSuite {
  private val dies: Faults = step => if (step == Step.AfterSplits) throw new InjectedFault(step)

  test("a paused driver whose record name is free again is rejected and leaves no record") {
    val state   = new MemoryState
    val sleeper = logOf(state)
    plan(sleeper, 0)
    assert(sleeper.end === 1)
    val other = logOf(state)
    for (first <- 1 to 5) plan(other, first)
    other.dropBefore(4)
    assert(state.list() === names(4, 5))
    val refused = intercept[StoplogException](plan(sleeper, 1))
    assert(refused.getCondition === "STOPLOG_FENCED")
    assert(state.list() === names(4, 5))
    assert(other.splits(4, 6).map(_.file.path).toSeq === Seq("4", "5"))
  }

  test("does not plan in another place, because the previous record is missing") {
    val state = new MemoryState
    val log   = logOf(state)
    for (first <- 0 to 2) plan(log, first)
    state.list().foreach(state.delete) // the disk is away
    val refused = intercept[StoplogException](plan(log, 3))
    assert(refused.getCondition === "STOPLOG_PLACE_CHANGED")
    assert(refused.getMessage.contains(names(2).head))
    intercept[StoplogException](plan(log, 3))
  }

  test("a record of a dead driver outside the current chain is not resumed") {
    val state   = new MemoryState
    val sleeper = logOf(state, dies)
    assert(sleeper.end === 0)
    val other = logOf(state)
    for (first <- 0 to 5) plan(other, first)
    other.dropBefore(4)
    intercept[InjectedFault](plan(sleeper, 0))
    assert(state.list() === names(0, 4, 5))
    val next = logOf(state)
    assert(next.oldest === 4)
    assert(next.splits(next.oldest, next.end).map(_.file.path).toSeq === Seq("4", "5"))
    plan(next, 6)
    next.dropBefore(5)
    assert(state.list() === names(5, 6))
  }

  test("a record that another driver has continued stays, and its author is rejected") {
    val state        = new MemoryState
    val other        = logOf(state)
    val goes: Faults = step => if (step == Step.AfterSplits) { plan(other, 1); () }
    val refused      = intercept[StoplogException](plan(logOf(state, goes), 0))
    assert(refused.getCondition === "STOPLOG_FENCED")
    assert(state.list() === names(0, 1))
    assert(logOf(state).splits(0, 2).map(_.file.path).toSeq === Seq("0", "1"))
  }

  test("a stray record that ends at the next record's start is neither read nor resumed") {
    val state   = new MemoryState
    val sleeper = logOf(state, dies)
    assert(sleeper.end === 0)
    val other = logOf(state)
    for (first <- 0 to 2) plan(other, first)
    other.dropBefore(1)
    intercept[InjectedFault](plan(sleeper, 0, path = "other"))
    assert(state.list() === names(0, 1, 2))
    val next = logOf(state)
    assert(next.oldest === 1)
    assert(next.plannedFrom(0) === None)
    assert(
      intercept[StoplogException](next.splits(0, 1).toVector).getCondition === "STOPLOG_SOURCE_STATE_LOST"
    )
    val awake = logOf(state)
    assert(awake.splits(1, 3).map(_.file.path).toSeq === Seq("1", "2"))
  }

  test("the author of a stray record deletes the record") {
    val state   = new MemoryState
    val sleeper = logOf(state)
    assert(sleeper.end === 0)
    val other = logOf(state)
    for (first <- 0 to 2) plan(other, first)
    other.dropBefore(1)
    assert(
      intercept[StoplogException](plan(sleeper, 0, path = "other")).getCondition === "STOPLOG_FENCED"
    )
    assert(state.list() === names(1, 2))
  }

  test("two chained stray records are not read") {
    val state = new MemoryState
    val other = logOf(state)
    val first = logOf(state, dies)
    assert(first.end === 0)
    plan(other, 0)
    val second = logOf(state, dies)
    assert(second.end === 1)
    for (first <- 1 to 2) plan(other, first)
    other.dropBefore(2)
    intercept[InjectedFault](plan(first, 0))
    intercept[InjectedFault](plan(second, 1, path = "other"))
    assert(state.list() === names(0, 1, 2))
    assert(logOf(state).oldest === 2)
  }

  test("a driver overtaken before opening the newest record fails with lost state") {
    val state = new MemoryState
    val other = logOf(state)
    plan(other, 0)
    val late = logOf(state)
    assert(late.plannedFrom(1) === None)
    plan(other, 1)
    other.dropBefore(1)
    assert(intercept[StoplogException](late.end).getCondition === "STOPLOG_SOURCE_STATE_LOST")
    assert(late.isOvertaken)
  }

  private def logOf(state: MemoryState, faults: Faults = Faults.none) =
    new SplitLog[FileSplit](state, FileSplit.Serializer, faults)

  private def plan(log: SplitLog[FileSplit], first: Int, path: String = ""): Long =
    log.append(
      first.toLong,
      Vector(FileSplit(SourceFile(if (path.isEmpty) first.toString else path, 1, 1), Extent.Bytes(0, 1))),
      Array[Byte](1)
    )

  private def names(firsts: Int*): Seq[String] = firsts.map(first => f"$first%020d.splits")
}
