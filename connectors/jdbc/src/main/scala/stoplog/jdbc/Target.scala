// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

/** Where rows go: what driver and tasks know of the table.
  *
  * @param database its URL without what may be secret, for messages
  * @param table    as SQL names it
  * @param columns  those that the rows have, in their order
  */
private[jdbc] final case class Target(
    database: String,
    table: String,
    columns: Vector[Column],
    dialect: Dialect
) {
  def columnList: String = columns.map(_.quoted).mkString(", ")

  def writeFailed(why: Throwable): Throwable = JdbcErrors.writeFailed(table, database, why)
}
