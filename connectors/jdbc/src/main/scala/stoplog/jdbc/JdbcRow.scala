// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql.{PreparedStatement, Types}

import java.util.{Arrays => JArrays}

/** A row as JDBC takes it.
  *
  * @param values  in the order of the sink's columns
  * @param origin  what the row was, for the text of a rejected one
  * @param earlier the row of the same key whose place this one has in its batch, if that is wanted when this one is bad
  */
private[jdbc] final class JdbcRow(
    val values: Array[Any],
    val origin: AnyRef,
    val earlier: Option[JdbcRow] = None
) {
  def after(earlier: JdbcRow): JdbcRow = new JdbcRow(values, origin, Some(earlier))
}

/** A column that the sink writes.
  *
  * @param name     as the target has it
  * @param quoted   the same for SQL
  * @param jdbcType of the target, one of `java.sql.Types`
  * @param typeName as the database calls it
  */
private[jdbc] final case class Column(name: String, quoted: String, jdbcType: Int, typeName: String = "") {

  def bind(statement: PreparedStatement, index: Int, value: Any): Unit = value match {
    case null            => statement.setNull(index, jdbcType)
    case array: SqlArray =>
      statement.setArray(
        index,
        statement.getConnection.createArrayOf(array.elementType, array.elements.asInstanceOf[Array[AnyRef]])
      )
    // PostgreSQL's uuid, json and enums, which take a text only if it does not say that it is one.
    case text: String if jdbcType == Types.OTHER => statement.setObject(index, text, Types.OTHER)
    case text: String                            => statement.setString(index, text)
    case bytes: Array[Byte]                      => statement.setBytes(index, bytes)
    case number: Byte                            => statement.setByte(index, number)
    case number: Short                           => statement.setShort(index, number)
    case number: Int                             => statement.setInt(index, number)
    case number: Long                            => statement.setLong(index, number)
    case number: Float                           => statement.setFloat(index, number)
    case number: Double                          => statement.setDouble(index, number)
    case truth: Boolean                          => statement.setBoolean(index, truth)
    case number: java.math.BigDecimal            => statement.setBigDecimal(index, number)
    case day: java.sql.Date                      => statement.setDate(index, day)
    case moment: java.sql.Timestamp              => statement.setTimestamp(index, moment)
    case other                                   => statement.setObject(index, other)
  }
}

/** @param elementType as the database names it */
private[jdbc] final case class SqlArray(elementType: String, elements: Array[Any])

/** Rows by their keys, in an order that all tasks share: transactions that take locks in one order never wait for
  * each other in a circle.
  *
  * @param keys the places of the key columns
  */
private[jdbc] final class KeyOrder(keys: Array[Int]) extends Ordering[JdbcRow] {

  override def compare(left: JdbcRow, right: JdbcRow): Int = {
    var i      = 0
    var result = 0
    while (result == 0 && i < keys.length) {
      result = compareValues(left.values(keys(i)), right.values(keys(i)))
      i += 1
    }
    result
  }

  private def compareValues(left: Any, right: Any): Int = (left, right) match {
    case (a: Array[Byte], b: Array[Byte]) => JArrays.compareUnsigned(a, b)
    case (a: Comparable[_], b)            => a.asInstanceOf[Comparable[Any]].compareTo(b)
    case (a, b)                           => String.valueOf(a).compareTo(String.valueOf(b))
  }
}
