// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.rows

import java.math.{BigDecimal => JBigDecimal}
import java.text.Normalizer
import java.util.{Arrays => JArrays}

import stoplog.jdbc.types.SqlArray

/** Orders rows by the values of their keys, so that equal keys compare as 0.
  *
  * @param keys the indices of the key columns
  */
private[jdbc] final class KeyOrder(keys: Array[Int]) extends Ordering[JdbcRow] {

  override def compare(left: JdbcRow, right: JdbcRow): Int =
    KeyOrder.first(keys.length)(i => KeyOrder.values(left.values(keys(i)), right.values(keys(i))))
}

/** Orders rows by a coarse form of their keys. Keys that some database considers equal have one coarse form:
  * texts that differ in case, accents, blanks or punctuation, and the zeros of floating numbers. A stable
  * sort by this order therefore keeps the order of arrival of all rows that may be one row of the table.
  *
  * All tasks send rows in this order: transactions that acquire locks in one order rarely deadlock. A column
  * is left out if a text of the batch has a letter that may be equal to other letters, by rules that only the
  * database knows: some databases consider `\u00f8` equal to `o`, and others consider `\u00fc` equal to `y`.
  *
  * @param keys the indices of the key columns
  */
private[jdbc] final class LockOrder(keys: Array[Int]) {

  def sorted(rows: IndexedSeq[JdbcRow]): IndexedSeq[JdbcRow] = {
    val known = keys.filter(key => rows.forall(row => LockOrder.isKnown(row.values(key))))
    rows
      .map(row => known.map(key => LockOrder.coarse(row.values(key))) -> row)
      .sortWith { case ((left, _), (right, _)) =>
        KeyOrder.first(known.length)(i => KeyOrder.values(left(i), right(i))) < 0
      }
      .map(_._2)
  }
}

private[jdbc] object KeyOrder {

  /** Returns the first result that is not 0. */
  def first(count: Int)(compare: Int => Int): Int = {
    var i      = 0
    var result = 0
    while (result == 0 && i < count) {
      result = compare(i)
      i += 1
    }
    result
  }

  /** Compares two values of one column by value; null is first. */
  def values(left: Any, right: Any): Int = (left, right) match {
    case (null, null)                     => 0
    case (null, _)                        => -1
    case (_, null)                        => 1
    case (a: Array[Byte], b: Array[Byte]) => JArrays.compareUnsigned(a, b)
    case (a: SqlArray, b: SqlArray)       =>
      val common = first(a.elements.length.min(b.elements.length))(i => values(a.elements(i), b.elements(i)))
      if (common != 0) common else a.elements.length.compare(b.elements.length)
    // The numbers of one column may have several classes.
    case (a: Number, b: Number) if a.getClass != b.getClass =>
      new JBigDecimal(a.toString).compareTo(new JBigDecimal(b.toString))
    case (a: Comparable[_], b) => a.asInstanceOf[Comparable[Any]].compareTo(b)
    case (a, _)                => throw new IllegalArgumentException(s"keys of ${a.getClass} have no order")
  }
}

private object LockOrder {

  /** Returns true if [[coarse]] has one result for all values that some database considers equal. */
  def isKnown(value: Any): Boolean = value match {
    case text: String    => text.forall(isKnownLetter)
    case array: SqlArray => array.elements.forall(isKnown)
    case _               => true
  }

  // ASCII, Cyrillic, Chinese and Korean.
  private def isKnownLetter(c: Char) =
    c < 0x80 || (c >= 0x400 && c < 0x460) || (c >= 0x4e00 && c < 0xa000) || (c >= 0xac00 && c < 0xd7a4)

  def coarse(value: Any): Any = value match {
    case text: String       => letters(text)
    case number: Double     => number + 0.0
    case number: Float      => number + 0.0f
    case bytes: Array[Byte] => JArrays.copyOf(bytes, bytes.lastIndexWhere(_ != 0) + 1)
    case array: SqlArray    => array.copy(elements = array.elements.map(coarse))
    case other              => other
  }

  /** Returns the letters and digits without case and accents. */
  private def letters(text: String): String = {
    val plain = if (text.forall(_ < 0x80)) text else Normalizer.normalize(text, Normalizer.Form.NFKD)
    val upper = plain.toUpperCase(java.util.Locale.ROOT).toLowerCase(java.util.Locale.ROOT)
    if (upper.forall(_.isLetterOrDigit)) upper else upper.filter(_.isLetterOrDigit)
  }
}
