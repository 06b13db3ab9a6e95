// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.ByteArrayOutputStream

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

class TextEncoderSuite extends AnyFunSuite {

  private val strings = StructType.fromDDL("line STRING")

  private def written(options: (String, String)*)(rows: Any*): Array[Byte] = {
    val encoder = TaskSerialization.toTask(RowFormats.encoder("text", strings, options.toMap, "UTC"))
    encoder.open(strings)
    bytes(encoder, rows)
  }

  private def bytes(encoder: Encoder, values: Seq[Any]): Array[Byte] = {
    val out = new ByteArrayOutputStream
    encoder.begin(out)
    values.foreach(value => encoder.encode(InternalRow(value), out))
    out.toByteArray
  }

  private def utf8(s: String) = UTF8String.fromString(s)

  private def condition(body: => Any): String = intercept[Exception](body) match {
    case e: SparkThrowable => e.getCondition
    case e                 => throw e
  }

  test("writes a string in UTF-8 followed by a line feed") {
    assert(new String(written()(utf8("a"), utf8("ä€🚀"), utf8("")), "utf8") === "a\nä€🚀\n\n")
  }

  test("lineSep is case-insensitive and may be empty") {
    assert(new String(written("LINESEP" -> "\r\n")(utf8("a"), utf8("b"))) === "a\r\nb\r\n")
    assert(new String(written("lineSep" -> "")(utf8("a"), utf8("b"))) === "ab")
  }

  test("bytes that are not UTF-8 pass unchanged") {
    val odd = Array[Byte](-1, 0, -128)
    assert(written("lineSep" -> "")(UTF8String.fromBytes(odd)) === odd)
  }

  test("a binary column is written unchanged") {
    val schema  = StructType.fromDDL("raw BINARY")
    val encoder = RowFormats.encoder("text", schema, Map.empty, "UTC")
    assert(bytes(encoder, Seq(Array[Byte](0, 1, -1), Array[Byte]())) === Array[Byte](0, 1, -1, 10, 10))
  }

  test("a null is an error with the column name") {
    val e = intercept[Exception](written()(utf8("a"), null))
    assert(e.asInstanceOf[SparkThrowable].getCondition === "STOPLOG_NULL_VALUE")
    assert(e.getMessage.contains("line"))
  }

  test("nullValue replaces nulls, also with an empty string") {
    assert(new String(written("nullValue" -> "\\N")(null, utf8("a"))) === "\\N\na\n")
    assert(new String(written("nullvalue" -> "")(null, utf8("a"))) === "\na\n")
  }

  test("the driver rejects schemas other than a single string or binary column") {
    for (ddl <- Seq("a STRING, b STRING", "a INT", "a ARRAY<STRING>"))
      assert(
        condition(
          RowFormats.encoder("text", StructType.fromDDL(ddl), Map.empty, "UTC")
        ) === "STOPLOG_ROW_COLUMNS"
      )
    assert(condition(new TextEncoder().open(new StructType)) === "STOPLOG_ROW_COLUMNS")
  }

  test("the suffix is .txt, and an empty part has no bytes") {
    assert(new TextEncoder().suffix === ".txt")
    assert(written()() === Array[Byte]())
  }
}
