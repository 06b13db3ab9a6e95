// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.table

import stoplog.jdbc.client.{Dialect, JdbcErrors}
import stoplog.jdbc.rows.{Column, JdbcRow, RowKey}

/** The target table, for the driver and the tasks.
  *
  * @param database the URL without possible secrets, for messages
  * @param table    the name in SQL syntax
  * @param columns  the columns of the rows, in their order
  */
private[jdbc] final case class Target(
    database: String,
    table: String,
    columns: Vector[Column],
    dialect: Dialect
) {

  /** Returns the error of a row that no batch can contain, before a request.
    *
    * @param key the key of upserts
    */
  def refusal(row: JdbcRow, key: Option[RowKey]): Option[Throwable] = row.fault
    .map { fault =>
      val column = columns(fault.column)
      JdbcErrors.inexact(table, column.name, column.typeName, fault.why)
    }
    .orElse {
      def nullOf(these: Iterable[Int])(error: (String, String) => Throwable) =
        these.find(row.values(_) == null).map(column => error(table, columns(column).name))
      key.flatMap { key =>
        nullOf(key.columns)(JdbcErrors.nullKey).orElse(nullOf(key.version)(JdbcErrors.nullVersion))
      }
    }

  def writeFailed(why: Throwable): Throwable = JdbcErrors.writeFailed(table, database, why)
}
