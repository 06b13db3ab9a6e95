// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.rows

import java.sql.{PreparedStatement, Types}

import stoplog.jdbc.types.{ColumnType, SqlArray}

/** A row with JDBC values.
  *
  * @param values  the values in the order of the sink's columns
  * @param origin  the original row, for the text of a rejected row
  * @param earlier the earlier row with the same key that this row supersedes in its batch, if kept for the
  *                case that this row is bad
  * @param fault   the first value that its column cannot store exactly
  */
private[jdbc] final class JdbcRow(
    val values: Array[Any],
    val origin: AnyRef,
    val earlier: Option[JdbcRow] = None,
    val fault: Option[ValueFault] = None
) {
  def after(earlier: JdbcRow): JdbcRow = new JdbcRow(values, origin, Some(earlier), fault)

  /** Returns the row without earlier rows. */
  def alone: JdbcRow = new JdbcRow(values, origin, None, fault)
}

/** A value that its column cannot store exactly.
  *
  * @param column the index of the column
  * @param why    a clause about the value
  */
private[jdbc] final case class ValueFault(column: Int, why: String)

/** A column of the target that the sink writes.
  *
  * @param name     the exact name in the target
  * @param quoted   the name quoted for SQL
  * @param jdbcType the type in the target, one of `java.sql.Types`
  * @param typeName the type's name in the database
  * @param declared the type in the target
  */
private[jdbc] final case class Column(
    name: String,
    quoted: String,
    jdbcType: Int,
    typeName: String = "",
    declared: ColumnType = Column.Own
) {

  def bind(statement: PreparedStatement, index: Int, value: Any): Unit = value match {
    case null            => statement.setNull(index, jdbcType)
    case array: SqlArray =>
      statement.setArray(
        index,
        statement.getConnection.createArrayOf(array.elementType, array.elements.asInstanceOf[Array[AnyRef]])
      )
    // PostgreSQL's uuid, json and enums accept a string only if its JDBC type is not a string type.
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
    // java.time
    case other => statement.setObject(index, other)
  }
}

private[jdbc] object Column {

  /** The type of columns of the sink's own tables. */
  val Own: ColumnType = ColumnType.Unsupported("is a column of the sink")
}
