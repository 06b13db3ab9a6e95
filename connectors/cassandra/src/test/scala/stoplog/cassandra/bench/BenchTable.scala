// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.bench

import com.datastax.oss.driver.api.core.cql.{BoundStatementBuilder, Row}

/** A table to measure with.
  *
  * @param rowsPerPartition 1 where the rows' keys are partitions
  */
private[bench] final case class BenchTable(name: String, rowsPerPartition: Int) {
  val columns = 5

  def create: String =
    s"CREATE TABLE $qualified (p bigint, c bigint, a text, b int, d double, PRIMARY KEY (p, c))"

  /** With the columns' values, and then the timestamp. */
  def insert: String = s"INSERT INTO $qualified (p, c, a, b, d) VALUES (?, ?, ?, ?, ?) USING TIMESTAMP ?"

  def select: String = s"SELECT p, c, a, b, d FROM $qualified WHERE token(p) > ? AND token(p) <= ?"

  /** The same rows in Spark's SQL, of the numbers from 0 on. */
  def rows: Seq[String] = Seq(
    s"id DIV $rowsPerPartition AS p",
    "id AS c",
    "concat('a text of some length ', id) AS a",
    "CAST(id % 1000 AS INT) AS b",
    "id * 0.5D AS d"
  )

  def bind(builder: BoundStatementBuilder, id: Long): BoundStatementBuilder = builder
    .setLong(0, id / rowsPerPartition)
    .setLong(1, id)
    .setString(2, s"a text of some length $id")
    .setInt(3, (id % 1000).toInt)
    .setDouble(4, id * 0.5)

  def read(row: Row): Long =
    row.getLong(0) + row.getLong(1) + row.getString(2).length + row.getInt(3) + row.getDouble(4).toLong

  private def qualified = s"bench.$name"
}
