// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.types

import java.util.Locale

/** The type of a column of the target, as far as relevant for the values that the column stores exactly. */
private[jdbc] sealed trait ColumnType extends Product with Serializable

private[jdbc] object ColumnType {

  /** Whole numbers of a range, both ends inclusive. */
  final case class Whole(min: BigInt, max: BigInt) extends ColumnType

  /** Decimals with a number of digits, and of digits after the point. */
  final case class Fixed(precision: Int, scale: Int) extends ColumnType

  /** Decimals with a number of significant digits, at any place. */
  final case class Significant(digits: Int) extends ColumnType

  /** Binary floating numbers of 24 or 53 bits. */
  final case class Floating(bits: Int, range: FloatingRange) extends ColumnType

  case object Truth extends ColumnType

  /** Bits as a number, as in MySQL. */
  final case class Bits(count: Int) extends ColumnType

  /** @param longest the maximum number of characters */
  final case class Text(longest: Option[Int], padding: Padding) extends ColumnType

  /** Texts of MySQL and MariaDB, which cut blanks at the end of a longer text with only a warning.
    *
    * @param bytes the maximum number of bytes
    */
  final case class SizedText(bytes: Int) extends ColumnType

  /** Texts of a list.
    *
    * @param separator separates several values of the list, in the order of the list; `None` for one value
    */
  final case class Labels(values: Vector[String], separator: Option[String]) extends ColumnType

  /** A type whose text form the database parses. */
  final case class Parsed(name: String) extends ColumnType

  /** JSON whose text must be sent as bytes; a text would become a JSON string. */
  case object JsonBytes extends ColumnType

  /** @param longest the maximum number of bytes */
  final case class Bytes(longest: Option[Int], padding: Padding) extends ColumnType

  case object Day extends ColumnType

  /** A local date and time.
    *
    * @param fraction the number of digits after the second
    */
  final case class LocalMoment(fraction: Int) extends ColumnType

  /** A point in time. */
  final case class Moment(fraction: Int) extends ColumnType

  /** A point in time from 1970 to 2038, sent as local time in the time zone of the connection. */
  final case class SessionMoment(fraction: Int) extends ColumnType

  final case class TimeOfDay(fraction: Int) extends ColumnType

  case object Year extends ColumnType

  /** @param name the name of the element type in the database */
  final case class ListOf(element: ColumnType, name: String) extends ColumnType

  /** A column of SQLite, which stores values of any type and converts some. */
  final case class Affine(affinity: Affinity) extends ColumnType

  /** Numbers of a column that assigns the next number to rows without a value. MySQL also assigns a number to
    * rows with the value 0.
    */
  final case class Numbered(values: ColumnType) extends ColumnType

  /** Texts or bytes of a database that stores empty ones as null, as Oracle does. */
  final case class NeverEmpty(values: ColumnType) extends ColumnType

  /** A type that the sink does not write.
    *
    * @param why a clause about the column
    */
  final case class Unsupported(why: String) extends ColumnType

  /** Whether the database fills short values up to the length of the column. */
  sealed trait Padding
  case object Padded   extends Padding
  case object Unpadded extends Padding

  /** The database removes all blanks at the end of a read value, as MySQL and MariaDB do. */
  case object Stripped extends Padding

  sealed trait FloatingRange

  /** All values, including infinity and NaN. */
  case object AllValues extends FloatingRange

  /** Only finite values. */
  case object FiniteValues extends FloatingRange

  /** The conversion of values in SQLite. */
  sealed trait Affinity
  case object WholeAffinity   extends Affinity
  case object NumericAffinity extends Affinity
  case object RealAffinity    extends Affinity
  case object TextAffinity    extends Affinity
  case object NoAffinity      extends Affinity

  /** Returns true if equal values of the type may have several texts, as `10.0.0.1` and `10.0.0.1/32`. */
  def hasSeveralTexts(column: ColumnType): Boolean = column match {
    case Parsed(name)       => !Set("uuid", "uniqueidentifier")(name.toLowerCase(Locale.ROOT))
    case JsonBytes          => true
    case ListOf(element, _) => hasSeveralTexts(element)
    case _                  => false
  }

  def signed(bits: Int): Whole = Whole(-(BigInt(1) << (bits - 1)), (BigInt(1) << (bits - 1)) - 1)

  def unsigned(bits: Int): Whole = Whole(0, (BigInt(1) << bits) - 1)

  /** More digits than Spark's decimals have. */
  final val AnyDigits = 1000
}
