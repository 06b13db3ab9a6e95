// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.format.parquet.Blocks

class CalendarGapSuite extends AnyFunSuite {

  private val day   = 24L * 60 * 60 * 1000 * 1000
  private val first = -141437 // 1582-10-05
  private val after = -141427 // 1582-10-15

  private def isRejected(ddl: String, value: Any, moved: Set[DataType] = CalendarGap.Both): Boolean =
    CalendarGap.checkOf("orc", StructType.fromDDL(s"c $ddl"), moved).exists { check =>
      try { check(InternalRow(value)); false }
      catch {
        case e: StoplogException =>
          e.getCondition == "STOPLOG_UNREADABLE_ROW" && e.getMessage.contains("c has")
      }
    }

  test("dates and times from 1582-10-05 to 1582-10-14 are rejected, and their neighbours are not") {
    for (days <- Seq(first, after - 1)) {
      assert(isRejected("DATE", days))
      assert(isRejected("TIMESTAMP", days * day + day / 2))
    }
    for (days <- Seq(first - 2, after + 1, 0)) {
      assert(!isRejected("DATE", days))
      assert(!isRejected("TIMESTAMP", days * day + day / 2))
    }
    assert(!isRejected("DATE", first - 1))
    assert(!isRejected("DATE", after))
    assert(!isRejected("DATE", null))
    assert(!isRejected("TIMESTAMP_NTZ", first * day))
    assert(!isRejected("BIGINT", first * day))
  }

  test("values within other values are found") {
    val dates = new GenericArrayData(Array[Any](null, 0, first))
    assert(isRejected("ARRAY<DATE>", dates))
    assert(isRejected("STRUCT<a: INT, b: ARRAY<DATE>>", InternalRow(1, dates)))
    assert(!isRejected("STRUCT<a: INT, b: ARRAY<DATE>>", InternalRow(1, null)))
    val ones = new GenericArrayData(Array[Any](1, 2, 3))
    assert(isRejected("MAP<INT, DATE>", new ArrayBasedMapData(ones, dates)))
    assert(
      isRejected("MAP<DATE, INT>", new ArrayBasedMapData(new GenericArrayData(Array[Any](0, 1, first)), ones))
    )
    assert(!isRejected("MAP<INT, INT>", new ArrayBasedMapData(ones, ones)))
  }

  test("a format moves only the values of some types") {
    assert(!isRejected("DATE", first, Set(TimestampType)))
    assert(isRejected("DATE", first, Set(DateType)))
    assert(!isRejected("TIMESTAMP", first * day + day / 2, Set(DateType)))
  }

  for (mode <- Seq("LEGACY", "CORRECTED"))
    test(s"Parquet with the rebase mode $mode") {
      val columns = StructType.fromDDL("c DATE")
      val session = Blocks.session("spark.sql.parquet.datetimeRebaseModeInWrite" -> mode)
      def file()  =
        Blocks.file(Blocks.format(columns, Map.empty, session), columns, Seq(Seq(InternalRow(first))))
      if (mode == "CORRECTED") assert(file().nonEmpty)
      else assert(intercept[StoplogException](file()).getCondition === "STOPLOG_UNREADABLE_ROW")
    }
}
