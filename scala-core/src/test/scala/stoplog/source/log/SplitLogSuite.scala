// SPDX-License-Identifier: Apache-2.0
package stoplog.source.log

import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.fault.{Faults, InjectedFault, Step}
import stoplog.laws.MemoryState
import stoplog.source.file.{Extent, FileSplit, FileSplitSerializer, SourceFile}

class SplitLogSuite extends AnyFunSuite {
  private val dies: Faults = step => if (step == Step.AfterSplits) throw new InjectedFault(step)

  test("a driver that slept until its place was free again is refused, and leaves nothing there") {
    val state   = new MemoryState
    val sleeper = logOf(state)
    sleeper.append(record(0))
    assert(sleeper.end === 1)
    val other = logOf(state)
    for (first <- 1 to 5) other.append(record(first))
    other.dropBefore(4)
    assert(state.list() === names(4, 5))
    val refused = intercept[StoplogException](sleeper.append(record(1)))
    assert(refused.getCondition === "STOPLOG_SOURCE_FENCED")
    assert(state.list() === names(4, 5))
    assert(other.splits(4, 6).map(_.file.path).toSeq === Seq("4", "5"))
  }

  test("what one that died there has left is not gone on from") {
    val state   = new MemoryState
    val sleeper = logOf(state, dies)
    assert(sleeper.end === 0)
    val other = logOf(state)
    for (first <- 0 to 5) other.append(record(first))
    other.dropBefore(4)
    intercept[InjectedFault](sleeper.append(record(0)))
    assert(state.list() === names(0, 4, 5))
    val next = logOf(state)
    assert(next.oldest === 4)
    assert(next.splits(next.oldest, next.end).map(_.file.path).toSeq === Seq("4", "5"))
    next.append(record(6))
    next.dropBefore(5)
    assert(state.list() === names(5, 6))
  }

  private def logOf(state: MemoryState, faults: Faults = Faults.none) =
    new SplitLog[FileSplit](state, FileSplitSerializer, faults)

  private def record(first: Int): SplitRecord[FileSplit] = SplitRecord(
    first.toLong,
    Vector(FileSplit(SourceFile(first.toString, 1, 1), Extent.Bytes(0, 1))),
    Array[Byte](1)
  )

  private def names(firsts: Int*): Seq[String] = firsts.map(first => f"$first%020d.splits")
}
