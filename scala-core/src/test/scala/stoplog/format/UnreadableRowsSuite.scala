// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{Decimal, StructType}
import org.apache.spark.types.variant.VariantBuilder
import org.apache.spark.unsafe.types.{UTF8String, VariantVal}
import org.scalatest.funsuite.AnyFunSuite

/** Formats of lines reject a row that readers with the same options would skip, split or read as another row. */
class UnreadableRowsSuite extends AnyFunSuite {

  private val invalid = UTF8String.fromBytes(Array[Byte](77, -4, 110))

  private def value(of: Any): Any = of match {
    case text: String => UTF8String.fromString(text)
    case other        => other
  }

  private def written(format: String, ddl: String, options: Map[String, String])(values: Any*): String = {
    val schema  = StructType.fromDDL(ddl)
    val encoder = TaskSerialization.toTask(RowFormats.encoder(format, schema, options, "UTC"))
    val out     = new ByteArrayOutputStream
    encoder.open(schema)
    encoder.encode(InternalRow(values.map(value): _*), out)
    assert(out.size > 0)
    out.toString(options.getOrElse("encoding", options.getOrElse("charset", UTF_8.name)))
  }

  private def rejected(format: String, ddl: String, options: (String, String)*)(
      values: Any*
  )(why: String): Unit =
    test(s"$format rejects ${shown(values)}${shown(options)}") {
      val schema  = StructType.fromDDL(ddl)
      val encoder = TaskSerialization.toTask(RowFormats.encoder(format, schema, options.toMap, "UTC"))
      val out     = new ByteArrayOutputStream
      encoder.open(schema)
      val error =
        intercept[Exception with SparkThrowable](encoder.encode(InternalRow(values.map(value): _*), out))
      assert(error.getCondition === "STOPLOG_UNREADABLE_ROW")
      assert(error.getMessage.contains(why))
      assert(out.size === 0)
      encoder.encode(InternalRow(values.map(_ => UTF8String.fromString("ok")): _*), out)
      val next = out.toString(options.toMap.getOrElse("encoding", UTF_8.name))
      assert(next.startsWith("ok") || format == "json") // nothing of the bad row is left
    }

  private def shown(all: Seq[Any]): String =
    all
      .mkString("(", ", ", ")")
      .map(char => if (char < ' ' || char > '~') f"\\u${char.toInt}%04x" else char)
      .mkString

  private def accepted(format: String, ddl: String, options: (String, String)*)(
      values: Any*
  )(line: String): Unit =
    test(s"$format writes ${shown(values)}${shown(options)}") {
      assert(written(format, ddl, options.toMap)(values: _*) === line)
    }

  private val One = "a STRING"
  private val Two = "a STRING, b STRING"

  rejected("text", One)("two\nlines")("end of a line")
  rejected("text", One)("two\rlines")("end of a line")
  rejected("text", One)("more than eight letters\n")("end of a line")
  rejected("text", One, "lineSep" -> ";")("semi;colon")("end of a line")
  rejected("text", One, "lineSep" -> "aa")("xa")("end of a line")
  rejected("text", One, "nullValue" -> "NULL")("NULL")("nullValue")
  rejected("text", One)("\uFEFFx")("byte order mark")
  rejected("text", One, "charset" -> "ISO-8859-1")("€")("character")
  rejected("text", One, "charset" -> "ISO-8859-1")(invalid)("UTF-8")
  accepted("text", One, "lineSep" -> ";")("two\nlines\r")("two\nlines\r;")
  accepted("text", One, "lineSep" -> "ab")("xa")("xaab")
  accepted("text", One, "charset" -> "ISO-8859-1")("Mün")("Mün\n")
  accepted("text", One, "nullValue" -> "NULL")(null)("NULL\n")

  rejected("csv", One)(" ")("line of blanks")
  rejected("csv", Two, "sep" -> "\t")(null, null)("line of blanks")
  rejected("csv", Two, "sep" -> " ")(null, null)("line of blanks")
  rejected("csv", Two, "sep" -> "\t", "emptyValue" -> "")("", "")("line of blanks")
  rejected("csv", Two)("two\nlines", "b")("multiLine")
  rejected("csv", Two)("two\rlines", "b")("multiLine")
  rejected("csv", Two, "lineSep" -> ";")("semi;colon", "b")("multiLine")
  rejected("csv", Two, "multiLine" -> "true")("two\rlines", "b")("carriage return")
  rejected("csv", Two, "nullValue" -> "NULL")("NULL", "b")("column a for null")
  rejected("csv", Two, "emptyValue" -> "")("a", "")("column b for null")
  rejected("csv", Two, "emptyValue" -> "EMPTY")("a", "")("column b for null or for another")
  rejected("csv", Two)("\uFEFFa", "b")("byte order mark")
  rejected("csv", Two)(invalid, "b")("not valid UTF-8")
  rejected("csv", Two, "encoding" -> "ISO-8859-1")("€", "b")("character")
  accepted("csv", Two)(" a ", "\tb")(" a ,\tb\n")
  accepted("csv", Two)("a\"b", "back\\slash")("\"a\"\"b\",back\\slash\n")
  accepted("csv", Two, "comment" -> "#")("#a", "b")("\"#a\",b\n")
  accepted("csv", Two)("a\\", "b")("a\\,b\n")
  accepted("csv", Two)("\uFFFD", null)("\uFFFD,\n")
  accepted("csv", Two)("", null)("\"\",\n")
  accepted("csv", Two, "quote" -> "'")("it's", "b")("'it''s',b\n")
  accepted("csv", Two, "quote" -> "'")("", null)("'',\n")
  accepted("csv", Two, "QUOTE" -> "'")("a", "")("a,''\n")
  rejected("csv", Two, "quote" -> "'", "emptyValue" -> "\"\"")("a", "")("column b for null or for another")
  accepted("csv", Two, "multiLine" -> "true")("two\nlines", "b")("\"two\nlines\",b\n")
  accepted("csv", Two, "ignoreLeadingWhiteSpace" -> "true")(" a ", "b")("a ,b\n")

  rejected("json", One, "lineSep" -> ";")("semi;colon")("end of a line")
  rejected("json", One)(invalid)("not valid UTF-8")
  rejected("json", One, "writeNonAsciiCharacterAsCodePoint" -> "true")(invalid)("not valid UTF-8")
  rejected("json", One, "encoding" -> "ISO-8859-1")("€")("character")
  // The last byte of one character and the first byte of the next are the line end, or a separator.
  rejected("json", One, "encoding" -> "UTF-16LE", "lineSep" -> "\n")("\u0a41\u4e00")("between them")
  rejected("csv", Two, "encoding" -> "UTF-16BE", "lineSep" -> "\n")("\u4e00\u0a85", "b")("between them")
  rejected("csv", Two, "encoding" -> "UTF-16LE", "lineSep" -> ";")("\u3b41\u0100", "b")("between them")
  accepted("json", One, "encoding" -> "UTF-16LE", "lineSep" -> "\n")("\u4e00\u0a85")(
    "{\"a\":\"\u4e00\u0a85\"}\n"
  )
  accepted("json", One)("two\nlines")("{\"a\":\"two\\nlines\"}\n")
  accepted("json", One)("\uFFFD")("{\"a\":\"\uFFFD\"}\n")

  test("csv rejects decimals with a locale whose readers find other numbers") {
    for (locale <- Seq("de-DE", "fr-FR", "sv-SE", "pt-BR")) {
      val options = Map("locale" -> locale)
      val refused = intercept[Exception with SparkThrowable] {
        RowFormats.encoder("csv", StructType.fromDDL("d DECIMAL(9,2)"), options, "UTC")
      }
      assert(refused.getCondition === "STOPLOG_UNSUPPORTED_COLUMN", locale)
      assert(written("csv", "i INT", options)(7) === "7\n")
    }
    for (options <- Seq(Map("locale" -> "en-GB"), Map.empty[String, String]))
      assert(written("csv", "d DECIMAL(9,2)", options)(Decimal("-1234.50")) === "-1234.50\n")
  }

  for (format <- Seq("csv", "json"))
    test(s"$format rejects times that the LEGACY policy of times cuts") {
      val conf = new SQLConf
      conf.setConfString(SQLConf.LEGACY_TIME_PARSER_POLICY.key, "LEGACY")
      SQLConf.withExistingConf(conf) {
        val refused =
          intercept[Exception with SparkThrowable](written(format, "t TIMESTAMP", Map.empty)(1L))
        assert(refused.getCondition === "STOPLOG_UNREADABLE_ROW")
        assert(written(format, "t TIMESTAMP", Map.empty)(1000L).contains("00:00:00.001"))
        assert(written(format, "t TIMESTAMP_NTZ", Map.empty)(1L).contains("00:00:00.000001"))
        val own = Map("timestampFormat" -> "yyyy-MM-dd")
        assert(written(format, "t TIMESTAMP", own)(1L).contains("1970-01-01"))
      }
    }

  test("json rejects a variant that is nested deeper than its parsers accept") {
    def line(depth: Int): String = {
      val parsed = VariantBuilder.parseJson("[" * depth + "]" * depth, false)
      written("json", "v VARIANT", Map.empty)(new VariantVal(parsed.getValue, parsed.getMetadata))
    }
    val error = intercept[Exception with SparkThrowable](line(1000))
    assert(error.getCondition === "STOPLOG_UNREADABLE_ROW")
    assert(line(900).length > 900)
  }

  test("json rejects a string that is longer than its parsers accept") {
    val error = intercept[Exception with SparkThrowable](written("json", One, Map.empty)("x" * 120000000))
    assert(error.getCondition === "STOPLOG_UNREADABLE_ROW")
  }

  test("json rejects the key of a map that is longer than its parsers accept") {
    def line(length: Int): String = {
      val key  = UTF8String.fromString("k" * length)
      val maps = org.apache.spark.sql.catalyst.util.ArrayBasedMapData(Map(key -> UTF8String.fromString("v")))
      written("json", "m MAP<STRING, STRING>", Map.empty)(maps)
    }
    val error = intercept[Exception with SparkThrowable](line(50001))
    assert(error.getCondition === "STOPLOG_UNREADABLE_ROW" && error.getMessage.contains("50001"))
    assert(line(50000).length > 50000)
  }

  test("json rejects a string that is longer than the options let its parsers accept") {
    val limit = Map("maxStringLen" -> "1000")
    val error = intercept[Exception with SparkThrowable](written("json", One, limit)("x" * 1001))
    assert(error.getCondition === "STOPLOG_UNREADABLE_ROW")
    assert(written("json", One, limit)("x" * 1000).length > 1000)
  }

  test("csv rejects a binary value that readers would return as other bytes") {
    def row(style: String, of: Array[Byte]): String = {
      val conf = new SQLConf
      if (style.nonEmpty) conf.setConfString(SQLConf.BINARY_OUTPUT_STYLE.key, style)
      SQLConf.withExistingConf(conf)(written("csv", "a INT, b BINARY", Map.empty)(1, of))
    }
    for {
      (style, bytes) <- Seq("" -> "a", "HEX" -> "a", "BASE64" -> "abc", "UTF-8" -> "")
    } {
      val error = intercept[Exception with SparkThrowable](row(style, bytes.getBytes(UTF_8)))
      assert(error.getCondition === "STOPLOG_UNREADABLE_ROW", style)
      assert(error.getMessage.contains("base64(b)"), style)
    }
    assert(row("UTF-8", "a,b".getBytes(UTF_8)) === "1,\"a,b\"\n")
    intercept[Exception with SparkThrowable](row("UTF-8", invalid.getBytes))
    assert(written("csv", "a INT, b BINARY", Map.empty)(1, null) === "1,\n")
  }

  test("strings at any depth are looked at") {
    val ddl  = "s STRUCT<a: ARRAY<MAP<STRING, STRING>>>"
    val maps = org.apache.spark.sql.catalyst.util.ArrayBasedMapData(Map(value("k") -> invalid))
    val row  = InternalRow(new org.apache.spark.sql.catalyst.util.GenericArrayData(Array[Any](maps)))
    val e    = intercept[Exception with SparkThrowable](written("json", ddl, Map.empty)(row))
    assert(e.getCondition === "STOPLOG_UNREADABLE_ROW" && e.getMessage.contains("column s"))
  }

  test("timestamps have their microseconds, and the seconds of old offsets") {
    def line(format: String, micros: Long, zone: String) =
      written(format, "t TIMESTAMP, n TIMESTAMP_NTZ", Map("timeZone" -> zone))(micros, micros).trim
    assert(line("csv", 1L, "UTC") === "1970-01-01T00:00:00.000001Z,1970-01-01T00:00:00.000001")
    assert(
      line("json", -5364662400000001L, "Europe/Berlin") ===
        "{\"t\":\"1800-01-01T00:53:27.999999+00:53:28\",\"n\":\"1799-12-31T23:59:59.999999\"}"
    )
  }

  test("the driver rejects columns and options whose rows no reader can read") {
    def condition(format: String, ddl: String, options: (String, String)*): String =
      intercept[Exception](RowFormats.encoder(format, StructType.fromDDL(ddl), options.toMap, "UTC")) match {
        case e: SparkThrowable => e.getCondition
        case e                 => e.getMessage
      }
    assert(condition("json", "m MAP<INT, STRING>") === "STOPLOG_UNSUPPORTED_COLUMN")
    assert(condition("json", "_corrupt_record STRING, a INT") === "STOPLOG_UNSUPPORTED_COLUMN")
    assert(
      condition("csv", "a INT, c STRING", "columnNameOfCorruptRecord" -> "c") === "STOPLOG_UNSUPPORTED_COLUMN"
    )
    for {
      (ddl, options) <- Seq(
        "`a\nb` INT"         -> Map.empty[String, String],
        "`a\rb` INT"         -> Map("multiLine" -> "true"),
        "`a;b` INT, c INT"   -> Map("lineSep" -> ";"),
        "` ` INT"            -> Map.empty[String, String],
        "`\t` INT"           -> Map("sep" -> "|"),
        "`\ufeffa` INT"      -> Map.empty[String, String],
        "`\u20ac` INT"       -> Map("encoding" -> "ISO-8859-1"),
        "`\u0a41\u4e00` INT" -> Map("encoding" -> "UTF-16LE", "lineSep" -> "\n")
      )
    } {
      val header = options.toSeq :+ ("header" -> "true")
      assert(condition("csv", ddl, header: _*) === "STOPLOG_UNSUPPORTED_COLUMN", ddl)
      RowFormats.encoder("csv", StructType.fromDDL(ddl), options, "UTC") // without a header
    }
    assert(condition("json", One, "pretty" -> "true").contains("pretty"))
    assert(condition("json", One, "multiLine" -> "true").contains("first row"))
    assert(condition("text", One, "nullValue" -> "a\nb").contains("nullValue"))
  }
}
