// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.rows

import java.sql.Types

/** The kind of values in a column of the rows, as far as relevant for a table.
  *
  * @param accepts the types of columns that accept such values, of `java.sql.Types`
  */
private[jdbc] sealed abstract class Family(val accepts: Set[Int])

private[jdbc] object Family {
  private val whole     = Set(Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT)
  private val fractions = Set(Types.REAL, Types.FLOAT, Types.DOUBLE, Types.NUMERIC, Types.DECIMAL)
  private val numbers   = whole ++ fractions
  private val moments   = Set(Types.TIMESTAMP, Types.TIMESTAMP_WITH_TIMEZONE)

  case object Boolean extends Family(numbers ++ Set(Types.BOOLEAN, Types.BIT))
  case object Number  extends Family(numbers)

  /** Columns of whole numbers would accept such values as well, but round them. */
  case object Floating extends Family(fractions)

  case object Day       extends Family(moments + Types.DATE)
  case object Timestamp extends Family(moments)
  case object List      extends Family(Set(Types.ARRAY))
  case object Bytes
      extends Family(Set(Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB, Types.BIT))
  case object Text
      extends Family(
        Set(Types.CHAR, Types.VARCHAR, Types.LONGVARCHAR, Types.CLOB, Types.NCHAR, Types.NVARCHAR) ++
          Set(Types.LONGNVARCHAR, Types.NCLOB, Types.SQLXML, Types.ROWID)
      )
}
