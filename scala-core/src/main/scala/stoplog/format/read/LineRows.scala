// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

import scala.collection.immutable.ArraySeq
import scala.collection.mutable
import scala.util.control.NonFatal

import com.fasterxml.jackson.core.{JsonFactory, JsonParser}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.catalyst.csv.{CSVOptions, UnivocityParser}
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.json.{JSONOptions, JacksonParser}
import org.apache.spark.sql.catalyst.util.FailureSafeParser
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import stoplog.error.{Causes, Errors}
import stoplog.source.{RecordEmitter, RowOutput}
import stoplog.source.file.{FileSplit, Heading, Line}

/** Converts lines of text, JSON and CSV to rows. */
private[format] object LineRows {

  /** Converts a line to a row with one string. The string uses the line's bytes without a copy.
    *
    * @param nullText the text of a null, if set
    */
  final class TextRows(nullText: Option[String] = None) extends RecordEmitter[Line, InternalRow] {
    private val row  = new TextRows.LineRow
    private val none = new GenericInternalRow(1)
    private val text = nullText.map(UTF8String.fromString).orNull

    override def emit(line: Line, out: RowOutput[InternalRow]): Unit = {
      row.of(line)
      if (text != null && row.getUTF8String(0) == text) out.put(none) else out.put(row)
    }
  }

  private object TextRows {

    /** A view of a line. The string is created on demand, so that the compiler can avoid the allocation. */
    private final class LineRow extends GenericInternalRow(1) {
      private var line: Line = _

      def of(next: Line): Unit = line = next

      override def isNullAt(ordinal: Int): Boolean            = false
      override def getUTF8String(ordinal: Int): UTF8String    = text
      override protected def genericGet(ordinal: Int): Any    = text
      override def toSeq(fieldTypes: Seq[DataType]): Seq[Any] = Seq(text)

      private def text: UTF8String = UTF8String.fromBytes(line.bytes, line.offset, line.length)
    }
  }

  /** Rows without columns, for queries that only count rows. */
  final class EmptyRows[R] extends RecordEmitter[R, InternalRow] {
    private val row = new GenericInternalRow(0)

    override def emit(record: R, out: RowOutput[InternalRow]): Unit = out.put(row)
  }

  /** Converts each line in the time zone that the source recorded when it planned to read the file.
    *
    * @param zone  of `own`
    * @param other creates the rows of another zone
    */
  final class ZonedRows(
      zone: String,
      own: RecordEmitter[Line, InternalRow],
      other: String => RecordEmitter[Line, InternalRow]
  ) extends RecordEmitter[Line, InternalRow] {
    private val known                                     = mutable.Map(zone -> own)
    private var of: FileSplit                             = _
    private var current: RecordEmitter[Line, InternalRow] = own

    override def emit(line: Line, out: RowOutput[InternalRow]): Unit = {
      if (line.split ne of) {
        of = line.split
        current = of.file.zone.fold(own)(recorded => known.getOrElseUpdate(recorded, other(recorded)))
      }
      current.emit(line, out)
    }
  }

  /** Returns the columns to parse for the requested columns. The parser only detects errors in parsed
    * columns. If only the column of corrupt lines is requested, all columns are parsed.
    */
  private def parsed(columns: StructType, wanted: StructType, corrupt: String): StructType = {
    def data(all: StructType) = StructType(all.filterNot(_.name == corrupt))
    data(if (wanted.fieldNames.sameElements(Array(corrupt))) columns else wanted)
  }

  /** Parses JSON lines with Spark's parser. An object is one row, an array of objects is one row per object.
    *
    * @param columns the columns of the files
    * @param wanted  the requested columns
    */
  final class JsonRows(columns: StructType, wanted: StructType, options: JSONOptions)
      extends RecordEmitter[Line, InternalRow] {
    private val corrupt = options.columnNameOfCorruptRecord

    private val parser = new JacksonParser(
      parsed(columns, wanted, corrupt),
      options,
      allowArrayAsStructs = true,
      filters = ArraySeq.empty
    )

    private val safe = new FailureSafeParser[Line](
      parser.parse[Line](_, JsonRows.open, JsonRows.text),
      options.parseMode,
      wanted,
      corrupt
    )

    // Spark's parser reuses one row for all results if the column of corrupt lines is requested.
    override def emit(line: Line, out: RowOutput[InternalRow]): Unit = BadLine.at(line) {
      val rows = safe.parse(line)
      if (rows.hasNext) {
        val first = rows.next()
        if (rows.hasNext) {
          out.put(first.copy())
          rows.foreach(row => out.put(row.copy()))
        } else out.put(first)
      }
    }
  }

  private object JsonRows {
    // Jackson reads UTF-8 fastest from the original bytes. The bytes are copied to offset 0: if a number or
    // an object is read as a string, Spark slices the bytes by Jackson's positions, which are relative to the
    // line. Spark also keeps a reference to the bytes.
    val open: (JsonFactory, Line) => JsonParser = (factory, line) =>
      factory.createParser(Arrays.copyOfRange(line.bytes, line.offset, line.offset + line.length))

    val text: Line => UTF8String = line => UTF8String.fromBytes(line.bytes, line.offset, line.length).clone()
  }

  /** The first lines of CSV files with a header. */
  final class CsvHeading(options: CSVOptions) extends Heading {
    override def isBefore(bytes: Array[Byte], offset: Int, length: Int): Boolean =
      !CsvRows.isRecord(new String(bytes, offset, length, UTF_8), options)
  }

  private object CsvRows {

    /** Whether a line is neither blank nor a comment. */
    def isRecord(text: String, options: CSVOptions): Boolean =
      text.exists(_ > ' ') && !(options.isCommentSet && text.startsWith(options.comment.toString))
  }

  /** Parses CSV lines with Spark's parser. Empty lines, comments, and the header of a file are not rows.
    *
    * @param columns the columns of the files
    * @param wanted  the requested columns
    * @param isSame  compares names of columns by the session's rule for upper and lower case
    */
  final class CsvRows(columns: StructType, wanted: StructType, options: CSVOptions, isSame: Resolver)
      extends RecordEmitter[Line, InternalRow] {
    private val corrupt  = options.columnNameOfCorruptRecord
    private val inFiles  = parsed(columns, columns, corrupt)
    private val required = parsed(columns, wanted, corrupt)
    private val parser   = new UnivocityParser(inFiles, required, options)
    private val empties  = EmptyTexts.of(inFiles, wanted, options)

    private val safe = new FailureSafeParser[String](
      text => parser.parse(text),
      options.parseMode,
      wanted,
      corrupt
    )

    override def emit(line: Line, out: RowOutput[InternalRow]): Unit = {
      val text = new String(line.bytes, line.offset, line.length, UTF_8)
      if (line.isHeader) check(text, line.fileName)
      else if (CsvRows.isRecord(text, options))
        BadLine.at(line)(safe.parse(text).foreach(row => out.put(empties.fold(row)(_.fill(row, text)))))
    }

    /** Requires that the header has the names of the columns in order, if `enforceSchema` = `false`. A
      * quarantine must not continue after a wrong header: all rows would be in wrong columns.
      *
      * Error: `STOPLOG_SOURCE_FILE_SETTINGS`.
      */
    private def check(header: String, fileName: String): Unit = if (!options.enforceSchema) {
      val found =
        try Option(parser.tokenizer.parseLine(header)).fold(Seq.empty[String])(_.toSeq)
        catch {
          case NonFatal(e) =>
            throw Errors.sourceFileSettings(fileName, s"its header is invalid: ${Causes.reason(e)}", e)
        }
      val expected = (if (options.isColumnPruningEnabled(required)) required else inFiles).fieldNames.toSeq
      val fits     = found.size == expected.size && found.zip(expected).forall {
        case (null, _)    => false
        case (name, want) => isSame(name.trim, want)
      }
      if (!fits)
        throw Errors.sourceFileSettings(
          fileName,
          s"its header names the columns ${found.mkString(", ")}, and not ${expected.mkString(", ")}",
          null
        )
    }
  }

  /** Adds the position of an unreadable line to errors. */
  private[read] object BadLine {

    /** Error: `STOPLOG_SOURCE_FILE_UNREADABLE` in place of any other. */
    def at[A](line: Line)(action: => A): A =
      try action
      catch {
        case NonFatal(e) =>
          throw Errors.sourceFileUnreadable(
            line.fileName,
            s"byte ${line.position.getOrElse(0L)}",
            Causes.reason(e),
            e
          )
      }
  }
}
