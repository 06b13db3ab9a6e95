// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.read

import org.apache.spark.sql.types.{StructField, StructType}

import stoplog.cassandra.client.{CassandraErrors, Connection}
import stoplog.cassandra.options.CassandraOptions
import stoplog.cassandra.schema.{TableColumn, TableInfo}
import stoplog.cassandra.types.SparkTypes

/** A query of a table. Sent to the tasks.
  *
  * @param columns  the columns of the table, in CQL syntax
  * @param rows     the names and types of the same columns in the rows
  * @param key      the columns of the partition key, in CQL syntax
  * @param within   the rows of each partition to read; all rows by default
  */
private[cassandra] final case class ReadQuery(
    table: String,
    cqlTable: String,
    columns: Vector[String],
    rows: StructType,
    key: Vector[String],
    within: ClusteringFilter,
    options: CassandraOptions
) {

  /** A statement with a placeholder for each bound of the tokens. */
  def byTokens: String = {
    val token = s"token(${key.mkString(", ")})"
    s"$select WHERE $token > ? AND $token <= ?"
  }

  /** A statement with a marker for each column of the partition key, and for the values of [[within]]. */
  def byKey: String =
    (key.map(column => s"$column = ?") ++ within.terms).mkString(s"$select WHERE ", " AND ", "")

  def connection: Connection = options.connection

  // Without requested columns, rows are counted by a column of the key, which every row has.
  private def select =
    s"SELECT ${(if (columns.isEmpty) key.take(1) else columns).mkString(", ")} FROM $cqlTable"
}

/** A selection of rows of a partition, by its clustering columns.
  *
  * @param terms  the conditions in CQL, with a marker for each value
  * @param values the values in the protocol's encoding
  */
private[cassandra] final case class ClusteringFilter(terms: Vector[String], values: Vector[Array[Byte]])

private[cassandra] object ClusteringFilter {
  val all: ClusteringFilter = ClusteringFilter(Vector.empty, Vector.empty)
}

private[cassandra] object ReadQuery {

  def of(
      table: TableInfo,
      columns: ReadColumns,
      within: ClusteringFilter,
      options: CassandraOptions
  ): ReadQuery =
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

/** The table's columns, with their names in the rows. Columns of types that Spark does not support are
  * omitted.
  */
private[cassandra] final case class ReadColumns(columns: Vector[TableColumn], schema: StructType) {

  /** Returns the columns that a query requests, in the order of the query. */
  def pruned(required: StructType): ReadColumns = {
    val at = required.fieldNames.toVector.map(schema.fieldIndex)
    ReadColumns(at.map(columns), StructType(at.map(schema(_))))
  }

  /** Returns the table's column for a name in the rows. */
  def named(name: String): Option[TableColumn] =
    Option(schema.fieldNames.indexOf(name)).filter(_ >= 0).map(columns)
}

private[cassandra] object ReadColumns {

  /** Returns the columns of a table. Error: `STOPLOG_ROW_COLUMNS`. */
  def of(table: TableInfo, options: CassandraOptions): ReadColumns = {
    val names   = options.columns.mapping.map(_.swap)
    val unknown = names.keys.toSeq.sorted.filter(name => table.column(name).isEmpty)
    // Checks only the table's names, because the mapping may be for a write, whose rows have further columns.
    if (unknown.nonEmpty)
      throw CassandraErrors.schema(
        table.qualified,
        unknown.map(name => s"columnMapping names $name, which is not a column of the table.")
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
