// SPDX-License-Identifier: Apache-2.0
package stoplog.source

import org.scalatest.funsuite.AnyFunSuite

class ReadLimitsSuite extends AnyFunSuite {

  private val limits = ReadLimits(splits = None, bytes = Some(100), records = Some(10))

  private def size(bytes: Long, records: Long): SplitSize = SplitSize(bytes, Some(records))

  test("a budget admits a split of exactly the remainder and rejects larger splits") {
    val budget = Budget(limits, usedBytes = 60, usedRecords = 7)
    assert(budget.holds(size(40, 3)))
    assert(!budget.holds(size(41, 3)))
    assert(!budget.holds(size(40, 4)))
  }

  test("a split with unknown records is admitted only without a record limit") {
    val unknown = SplitSize(40, None)
    assert(!Budget(limits, 0, 0).holds(unknown))
    assert(Budget(limits.copy(records = None), 0, 0).holds(unknown))
  }

  test("a micro-batch is full when a limit is reached") {
    val budget = Budget(limits, 0, 0)
    assert(!budget.minus(size(99, 9)).isFull)
    assert(budget.minus(size(100, 9)).isFull)
    assert(budget.minus(size(99, 10)).isFull)
    assert(budget.full.isFull)
  }

  test("the lower of two limits applies, and an absent limit does not count") {
    val other = ReadLimits(splits = Some(5), bytes = Some(99), records = Some(11))
    assert(limits.and(other) === ReadLimits(Some(5), Some(99), Some(10)))
    assert(limits.and(ReadLimits.none) === limits)
  }
}
