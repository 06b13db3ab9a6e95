// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.schema

import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters._

import com.datastax.oss.driver.api.core.CqlIdentifier
import com.datastax.oss.driver.api.core.`type`.{DataType => CqlType}
import com.datastax.oss.driver.api.core.metadata.schema.{ColumnMetadata, TableMetadata}

import stoplog.cassandra.client.CassandraErrors
import stoplog.cassandra.options.CassandraOptions

/** A table as the cluster describes it. */
private[cassandra] final case class TableInfo(keyspace: String, name: String, columns: Vector[TableColumn]) {

  def qualified: String = s"$keyspace.$name"

  /** As CQL spells it. */
  def cql: String = s"${TableInfo.quoted(keyspace)}.${TableInfo.quoted(name)}"

  def partitionKey: Vector[TableColumn] = columns.filter(_.role == Role.PartitionKey)

  def clustering: Vector[TableColumn] = columns.filter(_.role == Role.Clustering)

  def primaryKey: Vector[TableColumn] = partitionKey ++ clustering

  /** The column that a name of the rows means: the same name, or else the only one that differs in case alone. */
  def column(name: String): Option[TableColumn] = columns.find(_.name == name).orElse {
    Option(columns.filter(_.name.equalsIgnoreCase(name))).collect { case Vector(one) => one }
  }

  /** Whether a row may have no value there. A partition of static columns alone has a row without a clustering key. */
  def isNullable(column: TableColumn): Boolean = column.role match {
    case Role.PartitionKey => false
    case Role.Clustering   => columns.exists(_.role == Role.Static)
    case _                 => true
  }
}

private[cassandra] final case class TableColumn(name: String, cql: CqlType, role: Role) {
  def quoted: String = TableInfo.quoted(name)
}

private[cassandra] sealed trait Role
private[cassandra] object Role {
  case object PartitionKey extends Role
  case object Clustering   extends Role
  case object Static       extends Role
  case object Regular      extends Role
}

private[cassandra] object TableInfo {

  /** A name as CQL spells it: between quotes where it has to be. */
  def quoted(name: String): String = CqlIdentifier.fromInternal(name).asCql(true)

  /** The table as it is now. Errors: `STOPLOG_CASSANDRA_TABLE`, `STOPLOG_CASSANDRA_CONNECT`. */
  def of(options: CassandraOptions): TableInfo = {
    val metadata = Schema.now(options)
    val keyspace = options.table.keyspace
    val table    = options.table.name
    val shown    = s"$keyspace.$table"
    val found    = metadata
      .getKeyspace(CqlIdentifier.fromInternal(keyspace))
      .toScala
      .getOrElse(throw CassandraErrors.table(shown, s"there is no keyspace $keyspace"))
    if (found.getView(CqlIdentifier.fromInternal(table)).isPresent)
      throw CassandraErrors.table(shown, "it is a materialized view")
    val known = found.getTable(CqlIdentifier.fromInternal(table)).toScala.getOrElse {
      val others = found.getTables.keySet.asScala.map(_.asInternal).toSeq.sorted
      throw CassandraErrors.table(shown, s"the keyspace has no such table, only (${others.mkString(", ")})")
    }
    TableInfo(keyspace, table, columns(known))
  }

  /** The key first, in its order, then the others by name, those of whole partitions first, as `SELECT *` has them. */
  private def columns(table: TableMetadata): Vector[TableColumn] = {
    val partition  = table.getPartitionKey.asScala.toVector
    val clustering = table.getClusteringColumns.keySet.asScala.toVector
    val others     = table.getColumns.values.asScala.toVector
      .diff(partition ++ clustering)
      .sortBy(column => (!column.isStatic, column.getName.asInternal))
    def made(role: Role)(column: ColumnMetadata) =
      TableColumn(column.getName.asInternal, column.getType, role)
    partition.map(made(Role.PartitionKey)) ++ clustering.map(made(Role.Clustering)) ++
      others.map(column => made(if (column.isStatic) Role.Static else Role.Regular)(column))
  }
}
