// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.read

import org.apache.spark.sql.types.{StructField, StructType}

import stoplog.cassandra.client.CassandraErrors
import stoplog.cassandra.options.CassandraOptions
import stoplog.cassandra.schema.{TableColumn, TableInfo}
import stoplog.cassandra.types.SparkTypes

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
