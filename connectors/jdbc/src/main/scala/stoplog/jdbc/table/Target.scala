// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.table

import stoplog.jdbc.client.{Dialect, JdbcErrors}
import stoplog.jdbc.rows.Column

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
  def writeFailed(why: Throwable): Throwable = JdbcErrors.writeFailed(table, database, why)
}
