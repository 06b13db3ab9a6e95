// SPDX-License-Identifier: Apache-2.0
package stoplog.source

import org.scalatest.funsuite.AnyFunSuite

class ReadLimitsSuite extends AnyFunSuite {

  private val limits = ReadLimits(splits = None, bytes = Some(100), records = Some(10))

  private def size(bytes: Long, records: Long): SplitSize = SplitSize(bytes, Some(records))

  test("a split of exactly what is left is held, one byte or one record more is not") {
    val budget = Budget(limits, usedBytes = 60, usedRecords = 7)
    assert(budget.holds(size(40, 3)))
    assert(!budget.holds(size(41, 3)))
    assert(!budget.holds(size(40, 4)))
  }

  test("a split of unknown records is held only where records are not limited") {
    val unknown = SplitSize(40, None)
    assert(!Budget(limits, 0, 0).holds(unknown))
    assert(Budget(limits.copy(records = None), 0, 0).holds(unknown))
  }

  test("a micro-batch is full once one of its limits is reached") {
    val budget = Budget(limits, 0, 0)
    assert(!budget.minus(size(99, 9)).isFull)
    assert(budget.minus(size(100, 9)).isFull)
    assert(budget.minus(size(99, 10)).isFull)
    assert(budget.full.isFull)
  }

  test("of two limits the lower one counts, and one that is set counts against none") {
    val other = ReadLimits(splits = Some(5), bytes = Some(99), records = Some(11))
    assert(limits.and(other) === ReadLimits(Some(5), Some(99), Some(10)))
    assert(limits.and(ReadLimits.none) === limits)
  }
}
