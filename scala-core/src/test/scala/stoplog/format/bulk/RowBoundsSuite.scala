// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, IOException}
import java.util.Arrays

import scala.util.{Random, Try}

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.{CalendarInterval, VariantVal}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.part.{SpoolFile, Spooled}

/** Rows that somebody has made up: none of them is followed out of its bytes. */
class RowBoundsSuite extends AnyFunSuite {
  private val nested = StructType.fromDDL(
    "s STRING, b BINARY, n DECIMAL(38, 10), m DECIMAL(9, 2), i INT, t TIMESTAMP, d DATE, x BOOLEAN, " +
      "a ARRAY<INT>, as ARRAY<STRING>, f ARRAY<BOOLEAN>, k MAP<STRING, ARRAY<SMALLINT>>, " +
      "r STRUCT<p: STRING, q: ARRAY<STRUCT<u: DECIMAL(20, 1), v: DOUBLE>>, y: INTERVAL YEAR>"
  )

  private def rows(schema: StructType, seed: Long, count: Int): Seq[UnsafeRow] = {
    val toInternal = CatalystTypeConverters.createToCatalystConverter(schema)
    val toUnsafe   = UnsafeProjection.create(schema)
    new RandomRows(seed).rows(schema, count).map { row =>
      toUnsafe(toInternal(row).asInstanceOf[InternalRow]).copy()
    }
  }

  test("rows of all types pass the bounds check") {
    val bounds = new RowBounds(nested)
    for (row <- rows(nested, seed = 1, count = 500)) bounds.check(row.getBytes, 0, row.getSizeInBytes)
  }

  test("intervals and variants pass the bounds check, and forged lengths fail") {
    val schema = new StructType().add("c", CalendarIntervalType).add("v", VariantType)
    val value  =
      InternalRow(new CalendarInterval(1, 2, 3), new VariantVal(Array[Byte](1, 2, 3), Array[Byte](4)))
    val row    = UnsafeProjection.create(schema)(value)
    val bounds = new RowBounds(schema)
    bounds.check(row.getBytes, 0, row.getSizeInBytes)
    val at = (row.getLong(1) >> 32).toInt
    for (length <- Seq(-1, 100, Int.MaxValue)) {
      val forged = row.getBytes.clone()
      Platform.putInt(forged, Platform.BYTE_ARRAY_OFFSET + at, length)
      intercept[IOException](bounds.check(forged, 0, forged.length))
    }
  }

  test("a forged row that passes the check reads no bytes outside the row", LongRun.Only) {
    val random  = new Random(7)
    val bounds  = new RowBounds(nested)
    var refused = 0
    for {
      row  <- rows(nested, seed = 2, count = 60)
      word <- 0 until row.getSizeInBytes / 8
      lie  <- lies(random, row.getSizeInBytes)
    } {
      val forged = row.getBytes.clone()
      Platform.putLong(forged, Platform.BYTE_ARRAY_OFFSET + word * 8L, lie)
      val passed = Try(bounds.check(forged, 0, forged.length))
      if (passed.isFailure) refused += 1
      else assert(readAmong(forged, 0) === readAmong(forged, -1), s"word $word is $lie")
    }
    assert(refused > 1000)
  }

  test("a spool file with a string longer than its row is a named error") {
    val bytes      = page(forged(TextRows.of("sixteen bytes ok"), word = 1, (16L << 32) | 3000000))
    val spoolFiles = new NumberedSpoolFiles(Seq(bytes))
    val rows       =
      new EarlierRows(Spooled("0", Vector(SpoolFile("file-0", bytes.length.toLong, 0)), 0), spoolFiles)
    val error = intercept[Exception](TextRows.texts(rows.rows(TextRows.columns)))
    assert(error.asInstanceOf[SparkThrowable].getCondition === "STOPLOG_STORE_WRITE")
    assert(error.getMessage.contains("file-0"))
  }

  test("a page with rows longer than the page, or with truncated rows, is an error") {
    for (length <- Seq(-8, -1, 1 << 20, Int.MaxValue, Int.MinValue)) {
      val file = page(TextRows.of("a row").getBytes, length)
      intercept[IOException](read(file).size)
    }
    for (left <- 1 to 15)
      intercept[IOException](read(page(new Array[Byte](left), length = 8, behind = left)).size)
  }

  private def read(file: Array[Byte]): Iterator[UnsafeRow] =
    SpoolFrames.rows(new ByteArrayInputStream(file), new RowBounds(TextRows.columns))

  private def lies(random: Random, size: Int): Seq[Long] = {
    val offset = random.nextInt(2 * size).toLong
    Seq(
      -1L,
      0L,
      Long.MaxValue,
      random.nextLong(),
      (offset << 32) | random.nextInt(2 * size),
      offset,
      size * 8L
    )
  }

  private def forged(row: UnsafeRow, word: Int, value: Long): Array[Byte] = {
    val bytes = row.getBytes.clone()
    Platform.putLong(bytes, Platform.BYTE_ARRAY_OFFSET + word * 8L, value)
    bytes
  }

  /** What is read of a row in an array that is full of one byte. */
  private def readAmong(row: Array[Byte], filler: Byte): Try[String] = {
    val around = new Array[Byte](row.length + 2 * Around)
    Arrays.fill(around, filler)
    System.arraycopy(row, 0, around, Around, row.length)
    val unsafe = new UnsafeRow(nested.length)
    unsafe.pointTo(around, Platform.BYTE_ARRAY_OFFSET + Around, row.length)
    val read = Try(CatalystTypeConverters.createToScalaConverter(nested)(unsafe).asInstanceOf[Row].toSeq)
    read
      .map(_.map {
        case bytes: Array[Byte] => bytes.toVector
        case other              => other
      }.toString)
      .recover { case e => e.toString }
  }

  /** A spool file of one page with one row, intact but for what is made up. */
  private def page(row: Array[Byte], length: Int, behind: Int): Array[Byte] = {
    val bytes = new Array[Byte](RowPage.LengthBytes + row.length)
    Platform.putInt(bytes, Platform.BYTE_ARRAY_OFFSET, length)
    System.arraycopy(row, 0, bytes, RowPage.LengthBytes, row.length)
    val out = new ByteArrayOutputStream()
    SpoolFrames.write(Iterator(RowPage.of(bytes, size = behind, rows = 1)), out)
    out.toByteArray
  }

  private def page(row: Array[Byte], length: Int): Array[Byte] =
    page(row, length, RowPage.LengthBytes + row.length)

  private def page(row: Array[Byte]): Array[Byte] = page(row, row.length)

  private final val Around = 1 << 12
}
