// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.{CalendarInterval, UTF8String}
import org.scalatest.funsuite.AnyFunSuite

class RejectedLinesSuite extends AnyFunSuite {

  private val why = new IllegalArgumentException("it \"is\" wrong")

  private def line(schema: StructType, rejected: RejectedLines.RejectedRow): String = {
    val lines = new RejectedLines(schema, "UTC")
    lines.open()
    val out = new ByteArrayOutputStream()
    lines.write(rejected, out)
    out.toString(UTF_8)
  }

  test("a rejected row is a JSON object with all nulls and its context") {
    val schema = StructType.fromDDL("id BIGINT, word STRING, at TIMESTAMP")
    val row    = InternalRow(7L, null, 0L)
    assert(
      line(schema, RejectedLines.RejectedRow(row, Some("a/b"), Some(3), why)) ===
        """{"reason":"it \"is\" wrong","bucket":"a/b","batch":3,""" +
        """"row":{"id":7,"word":null,"at":"1970-01-01T00:00:00.000000Z"}}""" + "\n"
    )
  }

  test("unknown context is null, and an error without a message is named by its class") {
    val schema = StructType.fromDDL("id BIGINT")
    val found = line(schema, RejectedLines.RejectedRow(InternalRow(7L), None, None, new NullPointerException))
    assert(
      found === """{"reason":"java.lang.NullPointerException","bucket":null,"batch":null,"row":{"id":7}}""" + "\n"
    )
  }

  test("a row that JSON does not support is recorded as a string") {
    val schema = new StructType().add("word", StringType).add("every", CalendarIntervalType)
    val row    = InternalRow(UTF8String.fromString("a"), new CalendarInterval(1, 2, 0))
    assert(
      line(schema, RejectedLines.RejectedRow(row, Some(""), None, why))
        .contains(""""text":"word=a, every=1 months 2 days"}""")
    )
  }

  test("a string of a row that JSON does not support is cut after a million characters") {
    val schema = new StructType().add("word", StringType).add("every", CalendarIntervalType)
    val row    = InternalRow(UTF8String.fromString("a" * 2000000), new CalendarInterval(1, 2, 0))
    val found  = line(schema, RejectedLines.RejectedRow(row, None, None, why))
    assert(found.contains("a…, every=1 months 2 days"))
    assert(found.count(_ == 'a') < 1000100)
  }

  test("a row that JSON does not support is recorded with its bytes and its nested values") {
    val schema =
      StructType.fromDDL("w STRING, b BINARY, a ARRAY<STRING>, m MAP<STRING, INT>, s STRUCT<t: TIMESTAMP>")
    val texts = Seq("x", "y").map(UTF8String.fromString)
    val row   = UnsafeProjection.create(schema)(
      InternalRow(
        UTF8String.fromBytes(Array[Byte](-1)),
        Array[Byte](0, 1, -1),
        new GenericArrayData(texts),
        ArrayBasedMapData(Map(texts.head -> 2)),
        InternalRow(1L)
      )
    )
    assert(
      line(schema, RejectedLines.RejectedRow(row, None, None, why))
        .contains("b=[00 01 FF], a=[x, y], m={x -> 2}, s={1970-01-01 00:00:00.000001}\"}")
    )
  }
}
