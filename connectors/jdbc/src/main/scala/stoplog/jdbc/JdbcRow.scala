// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql.{PreparedStatement, Types}
import java.util.{Arrays => JArrays}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.execution.datasources.jdbc.JdbcUtils
import org.apache.spark.sql.jdbc.{JdbcDialect, JdbcDialects}
import org.apache.spark.sql.types._

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

/** Spark's rows as JDBC takes them, with the types that Spark's own `jdbc` format gives them. That one's setters are
  * private, and take rows that are converted once more.
  *
  * @param keepsOrigin whether rejected rows will be asked what they were
  */
private[jdbc] final class RowValues(schema: StructType, url: String, keepsOrigin: Boolean)
    extends Serializable {
  @transient private lazy val readers = {
    val dialect = JdbcDialects.get(url)
    schema.fields.map(field => RowValues.reader(field.dataType, dialect))
  }

  /** A row whose values no code changes any more. */
  def of(row: InternalRow): JdbcRow = {
    val values = new Array[Any](readers.length)
    var i      = 0
    while (i < values.length) {
      if (!row.isNullAt(i)) values(i) = readers(i)(row, i)
      i += 1
    }
    new JdbcRow(values, if (keepsOrigin) row.copy() else null)
  }
}

private[jdbc] object RowValues {

  /** The types that a column has to fit; the reason in words if no database takes such values. */
  def family(dataType: DataType, dialect: JdbcDialect): Either[String, Family] =
    try {
      JdbcUtils.getJdbcType(dataType, dialect)
      dataType match {
        case BooleanType                             => Right(Family.Truth)
        case FloatType | DoubleType                  => Right(Family.Fraction)
        case number: DecimalType if number.scale > 0 => Right(Family.Fraction)
        case _: NumericType                          => Right(Family.Number)
        case _: StringType                           => Right(Family.Text)
        case BinaryType                              => Right(Family.Bytes)
        case DateType                                => Right(Family.Day)
        case TimestampType | TimestampNTZType        => Right(Family.Moment)
        case ArrayType(_: ArrayType, _)              => Left("nested arrays are not supported")
        case _: ArrayType                            => Right(Family.List)
        case _                                       => Left("no database takes such values")
      }
    } catch {
      case _: IllegalArgumentException | _: UnsupportedOperationException |
          _: org.apache.spark.SparkThrowable =>
        Left("Spark has no JDBC type for it")
    }

  private type Reader = (InternalRow, Int) => Any

  private def reader(dataType: DataType, dialect: JdbcDialect): Reader = dataType match {
    case BooleanType      => (row, i) => row.getBoolean(i)
    case ByteType         => (row, i) => row.getByte(i)
    case ShortType        => (row, i) => row.getShort(i)
    case IntegerType      => (row, i) => row.getInt(i)
    case LongType         => (row, i) => row.getLong(i)
    case FloatType        => (row, i) => row.getFloat(i)
    case DoubleType       => (row, i) => row.getDouble(i)
    case _: StringType    => (row, i) => row.getUTF8String(i).toString
    case BinaryType       => (row, i) => row.getBinary(i)
    case DateType         => (row, i) => DateTimeUtils.toJavaDate(row.getInt(i))
    case TimestampType    => (row, i) => DateTimeUtils.toJavaTimestamp(row.getLong(i))
    case TimestampNTZType => (row, i) => ntz(row.getLong(i), dialect)
    case d: DecimalType   => (row, i) => row.getDecimal(i, d.precision, d.scale).toJavaBigDecimal
    case list: ArrayType  => array(list.elementType, dialect)
    case other            => throw new IllegalArgumentException(other.simpleString)
  }

  private def array(element: DataType, dialect: JdbcDialect): Reader = {
    // As Spark does: the name without its length, such as `VARCHAR` of `VARCHAR(255)`.
    val name = JdbcUtils.getJdbcType(element, dialect).databaseTypeDefinition.toLowerCase.split("\\(")(0)
    (row, i) => {
      val list = row.getArray(i)
      SqlArray(
        name,
        Array.tabulate[Any](list.numElements())(at => item(list.get(at, element), element, dialect))
      )
    }
  }

  private def item(value: Any, dataType: DataType, dialect: JdbcDialect): Any = (value, dataType) match {
    case (null, _)                        => null
    case (day: Int, DateType)             => DateTimeUtils.toJavaDate(day)
    case (micros: Long, TimestampType)    => DateTimeUtils.toJavaTimestamp(micros)
    case (micros: Long, TimestampNTZType) => ntz(micros, dialect)
    case (number: Decimal, _)             => number.toJavaBigDecimal
    case (_, _: StringType)               => value.toString
    case _                                => value
  }

  private def ntz(micros: Long, dialect: JdbcDialect): java.sql.Timestamp =
    dialect.convertTimestampNTZToJavaTimestamp(DateTimeUtils.microsToLocalDateTime(micros))
}
