// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.csv.{CSVOptions, UnivocityParser}
import org.apache.spark.sql.catalyst.util.FailureSafeParser
import org.apache.spark.sql.types.StructType

import stoplog.source.{RecordEmitter, RowOutput}
import stoplog.source.file.{FileSplit, Line}

/** Lines of CSV, read by Spark's own parser. Empty lines, comments, and the header of a file are no rows.
  *
  * @param columns that the files have
  * @param wanted  those that are read
  */
private[format] final class CsvRows(columns: StructType, wanted: StructType, options: CSVOptions)
    extends RecordEmitter[Line, InternalRow] {
  private val parser = {
    def data(all: StructType) = StructType(all.filterNot(_.name == options.columnNameOfCorruptRecord))
    new UnivocityParser(data(columns), data(wanted), options)
  }

  private val safe = new FailureSafeParser[String](
    text => parser.parse(text),
    options.parseMode,
    wanted,
    options.columnNameOfCorruptRecord
  )

  // A split that begins its file has the header as its first line.
  private var begun: FileSplit = _

  override def emit(line: Line, out: RowOutput[InternalRow]): Unit = {
    val text = new String(line.bytes, line.offset, line.length, UTF_8)
    if (isRecord(text) && !isHeader(text, line)) BadLine.at(line)(safe.parse(text).foreach(out.put))
  }

  private def isRecord(text: String): Boolean =
    text.exists(_ > ' ') && !(options.isCommentSet && text.startsWith(options.comment.toString))

  private def isHeader(text: String, line: Line): Boolean =
    options.headerFlag && line.split.isFirst && (begun ne line.split) && {
      begun = line.split
      BadLine.at(line)(check(text))
      true
    }

  /** With `enforceSchema` = `false`, the header must name the columns, in their order. */
  private def check(header: String): Unit = if (!options.enforceSchema) {
    val found    = Option(parser.tokenizer.parseLine(header)).fold(Seq.empty[String])(_.toSeq)
    val expected = wanted.fieldNames.toSeq.filterNot(_ == options.columnNameOfCorruptRecord)
    val fits     = found.size == expected.size && found.zip(expected).forall {
      case (null, _)    => false
      case (name, want) => name.trim.equalsIgnoreCase(want)
    }
    if (!fits)
      throw new IllegalArgumentException(
        s"its header names the columns ${found.mkString(", ")}, and not ${expected.mkString(", ")}"
      )
  }
}
