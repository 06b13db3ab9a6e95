// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.math.{BigDecimal => JBigDecimal}
import java.util.Locale

import scala.util.Try

import com.univocity.parsers.csv.CsvParser
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.csv.CSVOptions
import org.apache.spark.sql.catalyst.expressions.ExprUtils
import org.apache.spark.sql.types.{BinaryType, DataType, StringType, StructType, UserDefinedType}
import org.apache.spark.unsafe.types.UTF8String

import stoplog.format.read.EmptyTexts

/** Finds CSV records which readers with the same options would read as other values.
  *
  * A record of plain characters needs only a look at each character. Any other record is parsed by the
  * parser of the readers, and compared with the row.
  */
private[format] final class CsvReadBack(schema: StructType, options: CSVOptions) {
  import CsvReadBack._

  private val ends  = LineEnds.of(options.lineSeparator)
  private val types = schema.map(field => stored(field.dataType)).toArray

  // The characters with a special meaning, in addition to control characters and the replacement.
  private val special = Seq(options.quote, options.escape) ++ options.charToEscapeQuoteEscaping

  // Spark's writer writes the bytes of a binary value in one of several forms, some of which are plain.
  private val mayBePlain = options.nullValue.isEmpty && options.emptyValue.isEmpty &&
    options.delimiter.length == 1 && special.forall(_ < Ascii) && !types.contains(BinaryType)

  private val separator = options.delimiter.head
  private val columns   = schema.length

  // Of each character of ASCII, whether it stands for itself or is the separator.
  private val plain =
    Array.tabulate(Ascii)(char => char >= ' ' && !special.contains(char.toChar) || char == separator)

  // Then no plain character belongs to the end of a line.
  private val hasUsualEnds = options.lineSeparator.isEmpty && !"\r\n".contains(separator)

  private val distinguishesEmpty = EmptyTexts.areDistinguished(options)

  private lazy val parser =
    if (distinguishesEmpty) EmptyTexts.parser(options) else new CsvParser(options.asParserSettings)

  /** Returns why the row cannot be read back, if so.
    *
    * @param record the characters of the row, without the end of the line
    * @param size   the number of characters
    */
  def problem(record: Array[Char], size: Int, row: InternalRow): Option[String] =
    if (hasUsualEnds && hasPlainStart(record, size) && isPlain(record, size)) None
    else problemOfUnusual(record, size, row)

  private def hasPlainStart(record: Array[Char], size: Int): Boolean =
    hasVisible(record, size) && record(0) != ReadableTexts.Mark &&
      !(options.isCommentSet && record(0) == options.comment)

  // Called for each record: one pass, and no call for a character.
  private def isPlain(record: Array[Char], size: Int): Boolean = mayBePlain && {
    val plain      = this.plain
    val separator  = this.separator
    var separators = 0
    var at         = 0
    while (
      at < size && (if (record(at) < Ascii) plain(record(at).toInt)
                    else record(at) != ReadableTexts.Replacement)
    ) {
      if (record(at) == separator) separators += 1
      at += 1
    }
    at == size && separators == columns - 1
  }

  private def problemOfUnusual(record: Array[Char], size: Int, row: InternalRow): Option[String] =
    problemOfLine(record, size).orElse {
      if (isPlain(record, size)) None else parsed(new String(record, 0, size), row)
    }

  /** Returns why readers do not find exactly one line, if so. The arguments are those of [[problem]]. */
  def problemOfLine(record: Array[Char], size: Int): Option[String] =
    if (isSplit(record, size)) Some(if (options.multiLine) Return else LineEnd)
    else if (!hasVisible(record, size)) Some(Blank)
    else if (record(0) == ReadableTexts.Mark) Some(Mark)
    else if (options.isCommentSet && record(0) == options.comment) Some(Comment)
    else None

  /** With `multiLine`, readers guess the line end of a file by its first line end, also inside of a value. */
  private def isSplit(record: Array[Char], size: Int): Boolean =
    if (!options.multiLine) ends.isWithin(record, size)
    else options.lineSeparator.isEmpty && hasReturn(record, size)

  private def hasReturn(record: Array[Char], size: Int): Boolean = {
    var at = 0
    while (at < size && record(at) != '\r') at += 1
    at < size
  }

  private def hasVisible(record: Array[Char], size: Int): Boolean = {
    var at = 0
    while (at < size && record(at) <= ' ') at += 1
    at < size
  }

  private def parsed(record: String, row: InternalRow): Option[String] =
    Try(parser.parseLine(record)).toOption.flatMap(Option(_)).filter(_.length == schema.length) match {
      case None         => Some("readers find another number of columns in its line")
      case Some(values) => schema.indices.find(i => !isSame(values(i), row, i)).map(other(_, row))
    }

  private def isSame(read: String, row: InternalRow, ordinal: Int): Boolean =
    if (read == null || isNull(read, ordinal)) row.isNullAt(ordinal)
    else !row.isNullAt(ordinal) && text(row, ordinal).forall(isSameText(read, _))

  private def isNull(read: String, ordinal: Int): Boolean =
    read == options.nullValue && !(distinguishesEmpty && isText(ordinal))

  private def isText(ordinal: Int): Boolean = types(ordinal).isInstanceOf[StringType]

  /** Returns the text that readers must find; `None` for values that Spark's writer converts to text. */
  private def text(row: InternalRow, ordinal: Int): Option[UTF8String] = types(ordinal) match {
    case _: StringType => Some(row.getUTF8String(ordinal))
    case BinaryType    => Some(UTF8String.fromBytes(row.getBinary(ordinal))) // readers return its bytes
    case _             => None
  }

  private def isSameText(read: String, text: UTF8String): Boolean = {
    val cut = cutBlanks(text.toString)
    read == cut && (!cut.contains(ReadableTexts.Replacement) || text.isValid)
  }

  /** Without its outer blanks, if the user's options request so. */
  private def cutBlanks(text: String): String = {
    val end =
      if (options.ignoreTrailingWhiteSpaceFlagInWrite) text.lastIndexWhere(_ > ' ') + 1 else text.length
    val kept = text.take(end)
    if (options.ignoreLeadingWhiteSpaceFlagInWrite) kept.dropWhile(_ <= ' ') else kept
  }

  private def other(ordinal: Int, row: InternalRow): String = {
    val name = schema(ordinal).name
    if (row.isNullAt(ordinal)) s"readers take the null of the column $name for a value"
    else if (types(ordinal) == BinaryType)
      s"readers return other bytes for the binary value of the column $name (write base64($name) instead)"
    else if (isText(ordinal) && !row.getUTF8String(ordinal).isValid)
      s"the string in the column $name is not valid UTF-8"
    else s"readers take the value of the column $name for null or for another value"
  }
}

private[format] object CsvReadBack {

  /** Returns whether readers with this locale read the decimals that Spark's writer writes. The writer uses
    * no locale.
    */
  def readsDecimals(locale: Locale): Boolean =
    Try(ExprUtils.getDecimalParser(locale)(Sample)).toOption.exists(_.compareTo(new JBigDecimal(Sample)) == 0)

  private final val Sample = "-1234.5"

  private def stored(of: DataType): DataType = of match {
    case user: UserDefinedType[_] => user.sqlType
    case other                    => other
  }

  private final val Ascii = 128

  private final val LineEnd =
    "a line end in it begins another row for readers without multiLine (write and read with multiLine = true)"
  private final val Return =
    "a carriage return in it may begin another row (set lineSep to write and to read such rows)"
  private final val Blank   = "readers skip a line of blanks"
  private final val Mark    = "its line begins with a byte order mark, which readers skip"
  private final val Comment = "its line begins with the character of comments, and readers skip comments"
}
