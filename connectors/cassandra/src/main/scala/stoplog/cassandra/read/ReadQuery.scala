// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.read

import org.apache.spark.sql.types.{StructField, StructType}

import stoplog.cassandra.client.{CassandraErrors, Connection}
import stoplog.cassandra.options.CassandraOptions
import stoplog.cassandra.schema.{TableColumn, TableInfo}
import stoplog.cassandra.types.SparkTypes

/** A query of a table. Goes to the tasks.
  *
  * @param columns  of the table, as CQL spells them
  * @param rows     how the same columns are called and typed in the rows
  * @param key      the columns of the partition key, as CQL spells them
  * @param within   which rows of each partition are read; all if there is none
  */
private[cassandra] final case class ReadQuery(
    table: String,
    cqlTable: String,
    columns: Vector[String],
    rows: StructType,
    key: Vector[String],
    within: Within,
    options: CassandraOptions
) {

  /** With a place for each border of the tokens. */
  def byTokens: String = {
    val token = s"token(${key.mkString(", ")})"
    s"$select WHERE $token > ? AND $token <= ?"
  }

  /** With a place for each column of the partition key, and for the values of [[within]]. */
  def byKey: String =
    (key.map(column => s"$column = ?") ++ within.terms).mkString(s"$select WHERE ", " AND ", "")

  def connection: Connection = options.connection

  // Rows are counted by a column that each of them has.
  private def select =
    s"SELECT ${(if (columns.isEmpty) key.take(1) else columns).mkString(", ")} FROM $cqlTable"
}

/** A choice of rows of a partition, by its clustering columns.
  *
  * @param terms  as CQL has them, with a place for each value
  * @param values as bytes of the protocol
  */
private[cassandra] final case class Within(terms: Vector[String], values: Vector[Array[Byte]])

private[cassandra] object Within {
  val all: Within = Within(Vector.empty, Vector.empty)
}

private[cassandra] object ReadQuery {

  def of(table: TableInfo, columns: ReadColumns, within: Within, options: CassandraOptions): ReadQuery =
    ReadQuery(
      table.qualified,
      table.cql,
      columns.columns.map(_.quoted),
      columns.schema,
      table.partitionKey.map(_.quoted),
      within,
      options
    )
}

/** The table's columns, and what they are called in the rows. Those of types that Spark has nothing for are left out. */
private[cassandra] final case class ReadColumns(columns: Vector[TableColumn], schema: StructType) {

  /** Those that a query asks for, in its order. */
  def pruned(asked: StructType): ReadColumns = {
    val at = asked.fieldNames.toVector.map(schema.fieldIndex)
    ReadColumns(at.map(columns), StructType(at.map(schema(_))))
  }

  /** The table's column that the rows call so. */
  def named(name: String): Option[TableColumn] =
    Option(schema.fieldNames.indexOf(name)).filter(_ >= 0).map(columns)
}

private[cassandra] object ReadColumns {

  /** Error: `STOPLOG_CASSANDRA_SCHEMA`. */
  def of(table: TableInfo, options: CassandraOptions): ReadColumns = {
    val names   = options.columns.mapping.map(_.swap)
    val unknown = names.keys.toSeq.sorted.filter(name => table.column(name).isEmpty)
    // A mapping may be there for a write, whose rows have columns aside: so it is only the table's names that count.
    if (unknown.nonEmpty)
      throw CassandraErrors.schema(
        table.qualified,
        unknown.map(name => s"columnMapping names $name, which is no column of the table.")
      )
    val renamed = names.flatMap { case (name, row) => table.column(name).map(_.name -> row) }
    val known   = table.columns.flatMap(column => SparkTypes.of(column.cql).map(column -> _))
    ReadColumns(
      known.map(_._1),
      StructType(known.map { case (column, spark) =>
        StructField(renamed.getOrElse(column.name, column.name), spark, table.isNullable(column))
      })
    )
  }
}
