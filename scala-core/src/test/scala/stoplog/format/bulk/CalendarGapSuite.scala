// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.time.{Instant, ZoneId}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData, RebaseDateTime}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.format.parquet.Blocks

class CalendarGapSuite extends AnyFunSuite {

  private val day   = 24L * 60 * 60 * 1000 * 1000
  private val first = -141437 // 1582-10-05
  private val after = -141427 // 1582-10-15

  private def isRejected(
      ddl: String,
      value: Any,
      moved: Set[DataType] = CalendarGap.Both,
      zone: String = "UTC"
  ): Boolean =
    CalendarGap.checkOf("orc", StructType.fromDDL(s"c $ddl"), moved, zone).exists { check =>
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

  private def micros(time: String): Long = Instant.parse(time).getEpochSecond * 1000000L

  test("a time is in the calendar of the writer's zone") {
    val ofOctober14 = micros("1582-10-15T03:00:00Z")
    assert(isRejected("TIMESTAMP", ofOctober14, zone = "America/Los_Angeles"))
    assert(!isRejected("TIMESTAMP", ofOctober14))
    val ofOctober4 = micros("1582-10-05T03:00:00Z")
    assert(!isRejected("TIMESTAMP", ofOctober4, zone = "America/Los_Angeles"))
    assert(isRejected("TIMESTAMP", ofOctober4))
  }

  test("the first of two equal local times before 1900 is rejected") {
    for {
      (zone, first, second) <- Seq(
        ("Asia/Kolkata", "1869-12-31T18:00:00Z", "1869-12-31T18:32:10Z"),
        ("America/Juneau", "1867-10-18T12:00:00Z", "1867-10-19T12:00:00Z"),
        ("America/New_York", "1883-11-18T16:59:00Z", "1883-11-18T17:02:58Z")
      )
    } {
      assert(isRejected("TIMESTAMP", micros(first), zone = zone), zone)
      assert(!isRejected("TIMESTAMP", micros(second), zone = zone), zone)
      assert(!isRejected("TIMESTAMP", micros(first)))
      assert(!isRejected("TIMESTAMP_NTZ", micros(first), zone = zone))
    }
  }

  test("no time since 1900 is moved in any zone") {
    val since = micros("1900-01-01T00:00:00Z")
    for {
      zone <- ZoneId.getAvailableZoneIds.asScala
      at   <- Seq(since, since + day, 0L)
    } {
      val stored = RebaseDateTime.rebaseGregorianToJulianMicros(zone, at)
      assert(stored === at && RebaseDateTime.rebaseJulianToGregorianMicros(zone, at) === at, zone)
    }
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

  test("Parquet with the rebase mode LEGACY has the calendar of the session's zone") {
    val columns = StructType.fromDDL("c TIMESTAMP")
    val legacy  = Seq(SQLConf.PARQUET_REBASE_MODE_IN_WRITE, SQLConf.PARQUET_INT96_REBASE_MODE_IN_WRITE)
    def file(zone: String) = {
      val session =
        Blocks.session(legacy.map(_.key -> "LEGACY") :+ ("spark.sql.session.timeZone" -> zone): _*)
      val rows = Seq(InternalRow(micros("1582-10-15T03:00:00Z")))
      Blocks.file(Blocks.format(columns, Map.empty, session), columns, Seq(rows))
    }
    assert(file("UTC").nonEmpty)
    val error = intercept[StoplogException](file("America/Los_Angeles"))
    assert(error.getCondition === "STOPLOG_UNREADABLE_ROW")
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
