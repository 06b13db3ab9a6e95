// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.types

import java.sql.{ResultSetMetaData, Types}
import java.util.Locale

import stoplog.jdbc.types.ColumnType._

/** Column types by the metadata of a driver, for databases without a catalog that the sink reads. */
private[jdbc] object JdbcTypes {

  def of(meta: ResultSetMetaData, column: Int): ColumnType = {
    val spelled = Option(meta.getColumnTypeName(column)).getOrElse("")
    val name    = spelled.toUpperCase(Locale.ROOT)
    if (name.startsWith("ENUM") && name.contains("'")) Labels(TypeNames.labels(spelled), separator = None)
    else if (name.startsWith("DECFLOAT")) Significant(meta.getPrecision(column))
    else named(name).getOrElse(of(meta, column, name))
  }

  /** Types that several databases report under a type of JDBC's with another meaning. */
  private def named(name: String): Option[ColumnType] = name match {
    case "UUID" | "UNIQUEIDENTIFIER"  => Some(Parsed(name))
    case "JSON"                       => Some(JsonBytes)
    case "DATETIME"                   => Some(LocalMoment(2)) // SQL Server rounds to 1/300 s
    case "SMALLDATETIME"              => Some(Unsupported("rounds to minutes"))
    case _ if name.startsWith("ENUM") => Some(Parsed(name))
    case _ if name.startsWith("INTERVAL") || name.startsWith("GEOMETRY") => Some(other)
    case _                                                               => None
  }

  private def of(meta: ResultSetMetaData, column: Int, name: String): ColumnType = {
    val precision = meta.getPrecision(column)
    val scale     = meta.getScale(column)
    val longest   = Some(precision).filter(_ > 0)
    meta.getColumnType(column) match {
      case Types.BOOLEAN                                                     => Truth
      case Types.BIT if precision <= 1                                       => Truth
      case Types.TINYINT if !meta.isSigned(column)                           => unsigned(8)
      case Types.TINYINT                                                     => signed(8)
      case Types.SMALLINT                                                    => signed(16)
      case Types.INTEGER                                                     => signed(32)
      case Types.BIGINT                                                      => signed(64)
      case Types.REAL | OracleBinaryFloat                                    => Floating(24, rangeOf(name))
      case Types.FLOAT | Types.DOUBLE | OracleBinaryDouble                   => Floating(53, rangeOf(name))
      case Types.NUMERIC | Types.DECIMAL if precision <= 0                   => Significant(38)
      case Types.NUMERIC | Types.DECIMAL                                     => Fixed(precision, scale)
      case Types.CHAR | Types.NCHAR                                          => Text(longest, Padded)
      case Types.VARCHAR | Types.NVARCHAR                                    => Text(longest, Unpadded)
      case Types.LONGVARCHAR | Types.LONGNVARCHAR | Types.CLOB | Types.NCLOB => Text(None, Unpadded)
      case Types.BINARY                                                      => Bytes(longest, Padded)
      case Types.VARBINARY                                                   => Bytes(longest, Unpadded)
      case Types.LONGVARBINARY | Types.BLOB                                  => Bytes(None, Unpadded)
      case Types.DATE                                                        => Day
      case Types.TIME                                                        => TimeOfDay(scale)
      case Types.TIMESTAMP                                                   => LocalMoment(scale)
      case Types.TIMESTAMP_WITH_TIMEZONE | OracleZoned | SqlServerOffset     => Moment(scale)
      case Types.ARRAY => TypeNames.standard(name)(_ => Unsupported("is an array of another type"))
      case _           => other
    }
  }

  private def other = Unsupported("is of a type that the sink does not write")

  // Derby's numbers are finite.
  private def rangeOf(name: String) = if (name == "DOUBLE" || name == "REAL") FiniteValues else AllValues

  private final val OracleBinaryFloat  = 100
  private final val OracleBinaryDouble = 101
  private final val OracleZoned        = -101
  private final val SqlServerOffset    = -155
}
