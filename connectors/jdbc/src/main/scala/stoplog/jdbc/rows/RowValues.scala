// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.execution.datasources.jdbc.JdbcUtils
import org.apache.spark.sql.jdbc.{JdbcDialect, JdbcDialects}
import org.apache.spark.sql.types._

/** Converts Spark's rows to JDBC values, with the types of Spark's own `jdbc` format. The setters of that
  * format are private, and need rows after a further conversion.
  *
  * @param keepsOrigin true if rejected rows need their original rows
  */
private[jdbc] final class RowValues(schema: StructType, url: String, keepsOrigin: Boolean)
    extends Serializable {
  @transient private lazy val readers = {
    val dialect = JdbcDialects.get(url)
    schema.fields.map(field => RowValues.reader(field.dataType, dialect))
  }

  /** Returns a row with its own copies of the values. */
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

  /** Returns the types that a column must match, or the reason if no database supports such values. */
  def family(dataType: DataType, dialect: JdbcDialect): Either[String, Family] =
    try {
      JdbcUtils.getJdbcType(dataType, dialect)
      dataType match {
        case BooleanType                             => Right(Family.Boolean)
        case FloatType | DoubleType                  => Right(Family.Floating)
        case number: DecimalType if number.scale > 0 => Right(Family.Floating)
        case _: NumericType                          => Right(Family.Number)
        case _: StringType                           => Right(Family.Text)
        case BinaryType                              => Right(Family.Bytes)
        case DateType                                => Right(Family.Day)
        case TimestampType | TimestampNTZType        => Right(Family.Timestamp)
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
    // As in Spark: the type's name without its length, such as `VARCHAR` of `VARCHAR(255)`.
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
