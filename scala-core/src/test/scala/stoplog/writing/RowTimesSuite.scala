// SPDX-License-Identifier: Apache-2.0
package stoplog.writing

import org.scalatest.funsuite.AnyFunSuite

import stoplog.part.TimeRange

class RowTimesSuite extends AnyFunSuite {

  /** Rows are their own times; 0 has none. */
  private object Own extends OpenPartWriter.RowTimes[Long] {
    override def isMissing(row: Long): Boolean = row == 0
    override def micros(row: Long): Long       = row
  }

  private def seen(before: Option[TimeRange], rowsBefore: Long, rows: Long*): Option[TimeRange] = {
    val times = new OpenPartWriter.RowTimes.Seen(Own, before, rowsBefore)
    rows.foreach(times.add)
    times.result(rowsBefore + rows.size)
  }

  test("the range covers the earliest and latest row in any order") {
    assert(seen(None, 0, 5, 3, 9, 4) === Some(TimeRange(3, 9)))
    assert(seen(None, 0, 7) === Some(TimeRange(7, 7)))
    assert(seen(Some(TimeRange(4, 6)), 2, 5) === Some(TimeRange(4, 6)))
    assert(seen(Some(TimeRange(4, 6)), 2, 7, 3) === Some(TimeRange(3, 7)))
  }

  test("rows without a time are skipped, and a range needs at least one time") {
    assert(seen(None, 0, 5, 0, 6) === Some(TimeRange(5, 6)))
    assert(seen(None, 0, 0) === None)
    assert(seen(None, 0) === None)
  }

  test("a part with unseen rows has no range") {
    assert(seen(None, rowsBefore = 2, 5) === None)
    val unasked =
      new OpenPartWriter.RowTimes.Seen(OpenPartWriter.RowTimes.NoTimes, Some(TimeRange(4, 6)), rowsBefore = 2)
    assert(unasked.result(rows = 2) === Some(TimeRange(4, 6)))
    assert(unasked.result(rows = 3) === None)
    assert(OpenPartWriter.RowTimes.NoTimes.isMissing("row"))
  }
}
