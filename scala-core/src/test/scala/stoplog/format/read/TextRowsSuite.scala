// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.net.URI
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import stoplog.source.file.{Extent, FileSplit, Line}
import stoplog.storage.SourceFile

class TextRowsSuite extends AnyFunSuite {

  test("a row returns its line through every accessor") {
    val row = rowOf(new LineOf("one two", 4, 3))
    assert(row.numFields == 1 && !row.isNullAt(0))
    assert(row.getUTF8String(0) == text("two"))
    assert(row.get(0, StringType) == text("two"))
    assert(row.toSeq(Seq(StringType)) == Seq(text("two")))
    assert(row == InternalRow(text("two")))
  }

  test("a copy of a row keeps its text when the buffer changes") {
    val line = new LineOf("one two", 0, 3)
    val copy = rowOf(line).copy()
    line.bytes(0) = 'X'
    assert(copy.getUTF8String(0) == text("one"))
  }

  private def rowOf(line: Line): InternalRow = {
    var row: InternalRow = null
    new LineRows.TextRows().emit(line, row = _)
    row
  }

  private def text(value: String): UTF8String = UTF8String.fromString(value)

  private final class LineOf(buffer: String, val offset: Int, val length: Int) extends Line {
    override val bytes: Array[Byte]     = buffer.getBytes(UTF_8)
    override val split: FileSplit       = FileSplit(SourceFile("a.txt", 7, 0), Extent.Bytes(0, 7))
    override val fileName: String       = "a.txt"
    override val location: URI          = URI.create("file:///a.txt")
    override val position: Option[Long] = Some(offset.toLong)
  }
}
