// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.types

import java.sql.Timestamp
import java.time.{Instant, LocalDate, LocalDateTime, ZoneId}

import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import stoplog.jdbc.Zones
import stoplog.jdbc.types.ColumnType.Labels

class ValueRuleSuite extends AnyFunSuite {
  private val tokyo = Moments.Millis(ZoneId.of("Asia/Tokyo"))

  test("SQLite gets the milliseconds of a local time in the zone of the driver, in each JVM") {
    for (jvm <- Seq("UTC", "America/New_York")) Zones.in(jvm) {
      val midnight = Instant.parse("2025-12-31T15:00:00Z")
      assert(millis(tokyo.day(LocalDate.of(2026, 1, 1))) === midnight.toEpochMilli)
      val local = tokyo.local(LocalDateTime.of(2026, 1, 1, 0, 0, 1, 5000000))
      assert(millis(local) === midnight.toEpochMilli + 1005)
    }
  }

  test("SQLite gets no local time that the zone skips, and each day") {
    val berlin = Moments.Millis(ZoneId.of("Europe/Berlin"))
    val why    = intercept[Inexact](berlin.local(LocalDateTime.of(2026, 3, 29, 2, 30)))
    assert(why.getMessage.contains("Europe/Berlin"))
    val saoPaulo = Moments.Millis(ZoneId.of("America/Sao_Paulo"))
    assert(
      millis(saoPaulo.day(LocalDate.of(2018, 11, 4))) === Instant.parse("2018-11-04T03:00:00Z").toEpochMilli
    )
    intercept[Inexact](berlin.local(LocalDateTime.of(1582, 10, 10, 0, 0)))
    intercept[Inexact](berlin.day(LocalDate.of(-5, 1, 1)))
  }

  test("a set is stored only in the order of its list, without repetition") {
    val forms = DriverForms(Moments.Texts, DriverForms.Arrays.AsText, ZoneId.of("UTC"))
    val read  = ValueRule.of(StringType, Labels(Vector("a", "b", "c"), Some(",")), forms).toOption.get
    def stored(text: String) = read(InternalRow(UTF8String.fromString(text)), 0)
    for (text <- Seq("", "a", "b,c", "a,b,c")) assert(stored(text) === text)
    for (text <- Seq("b,a", "a,a", "a,d", "a,", "A")) intercept[Inexact](stored(text))
  }

  test("MySQL gets no text whose blanks at the end it would remove") {
    val forms = DriverForms(Moments.Texts, DriverForms.Arrays.AsText, ZoneId.of("UTC"))
    def isStored(column: String, text: String) = {
      val read = ValueRule.of(StringType, TypeNames.mySql(column), forms).toOption.get
      Try(read(InternalRow(UTF8String.fromString(text)), 0)) match {
        case Success(value)      => value === text
        case Failure(_: Inexact) => false
        case Failure(other)      => throw other
      }
    }
    for (text <- Seq("abcd", " abc", "")) assert(isStored("char(5)", text), text)
    for (text <- Seq("abc ", "abcd ", " ")) assert(!isStored("char(5)", text), text)
    assert(isStored("varchar(5)", "abcd "))
    for ((column, bytes) <- Seq("tinytext" -> 255, "text" -> 65535, "mediumtext" -> 16777215)) {
      assert(isStored(column, "x" * (bytes - 1) + " "), column)
      assert(!isStored(column, "x" * bytes + " "), column)
    }
    assert(!isStored("tinytext", "\u0436" * 127 + "  "))
    assert(isStored("longtext", "x" * 65535 + " "))
  }

  private def millis(value: Any): Long = value match {
    case at: Timestamp     => at.getTime
    case at: java.sql.Date => at.getTime
    case other             => fail(s"$other")
  }
}
