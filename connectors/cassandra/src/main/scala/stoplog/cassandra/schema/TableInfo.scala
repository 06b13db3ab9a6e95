// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.schema

import java.io.IOException
import java.util.concurrent.{ExecutionException, TimeUnit}

import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters._
import scala.util.{Failure, Success, Try}
import scala.util.control.NonFatal

import com.datastax.oss.driver.api.core.{CqlIdentifier, CqlSession, DriverException}
import com.datastax.oss.driver.api.core.`type`.{DataType => CqlType}
import com.datastax.oss.driver.api.core.cql.SimpleStatement
import com.datastax.oss.driver.api.core.metadata.Metadata
import com.datastax.oss.driver.api.core.metadata.schema.{ColumnMetadata, TableMetadata}

import stoplog.cassandra.client.{CassandraErrors, Connection, RequestCauses, RequestRetries, Sessions}
import stoplog.cassandra.options.CassandraOptions
import stoplog.util.ColumnNames

/** A table as described by the cluster. */
private[cassandra] final case class TableInfo(keyspace: String, name: String, columns: Vector[TableColumn]) {

  def qualified: String = s"$keyspace.$name"

  /** The name in CQL syntax. */
  def cql: String = s"${TableInfo.quoted(keyspace)}.${TableInfo.quoted(name)}"

  def partitionKey: Vector[TableColumn] = columns.filter(_.role == Role.PartitionKey)

  def clustering: Vector[TableColumn] = columns.filter(_.role == Role.Clustering)

  def primaryKey: Vector[TableColumn] = partitionKey ++ clustering

  /** Returns the column that [[ColumnNames]] finds. */
  def column(name: String): Option[TableColumn] = ColumnNames.index(columns.map(_.name), name).map(columns)

  /** Returns true if a row may have no value in the column. A partition with only static columns is a row
    * without a clustering key.
    */
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

  /** Returns a name in CQL syntax, quoted if necessary. */
  def quoted(name: String): String = CqlIdentifier.fromInternal(name).asCql(true)

  /** Reads the current description of the table. Errors: `STOPLOG_CASSANDRA_TABLE`,
    * `STOPLOG_UNREACHABLE`.
    */
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

  /** Returns the columns in the order of `SELECT *`: the key, then static columns by name, then regular
    * columns by name.
    */
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

/** The keyspaces and tables of a cluster.
  *
  * If a schema refresh of a session fails because its control connection was just lost, the session never
  * refreshes again: the driver keeps the failed request as current, and all later requests wait for this
  * request forever. Therefore the session is replaced.
  */
private[cassandra] object Schema {

  /** Returns the current metadata: a shared session may not know a table that was just created.
    *
    * Error: `STOPLOG_UNREACHABLE`, immediately if no session can be opened.
    *
    * @param answerMillis the time limit for a session's response
    */
  def now(options: CassandraOptions, answerMillis: Long = AnswerMillis): Metadata = {
    val refresh = refreshed(_, options.connection, answerMillis)
    Sessions.use(options.connection)(session => Try(refresh(session))) match {
      case Success(metadata) => metadata
      case Failure(_)        =>
        RequestRetries(options.retryTimeoutMillis)(() => Sessions.use(options.connection)(refresh))
    }
  }

  private def refreshed(session: CqlSession, connection: Connection, answerMillis: Long): Metadata =
    try session.refreshSchemaAsync().toCompletableFuture.get(answerMillis, TimeUnit.MILLISECONDS)
    catch {
      case NonFatal(e) =>
        Sessions.retire(connection, session)
        val cause = causeOf(e)
        throw CassandraErrors.connect(connection.describe, RequestCauses.describe(cause), cause)
    }

  private def causeOf(e: Throwable): Throwable = e match {
    case wrapper: ExecutionException => causeOf(wrapper.getCause)
    // Thrown while the driver has no node and searches for a node.
    case state: IllegalStateException => new IOException(state.getMessage, state)
    case other                        => other
  }

  // The driver waits up to ten seconds for schema agreement, and then reads several tables.
  private final val AnswerMillis = 30000L
}

/** A table that the connector owns.
  *
  * @param columns the columns and the primary key, in the CQL syntax between the parentheses
  * @param refused creates the error from the table's name, the statement that creates the table, and the
  *                reason
  */
private[cassandra] final class OwnTable(
    keyspace: String,
    table: String,
    columns: String,
    refused: (String, String, String, Throwable) => Throwable
) {

  /** The name in CQL syntax. */
  val name: String = s"${TableInfo.quoted(keyspace)}.${TableInfo.quoted(table)}"

  private def create: String = s"CREATE TABLE IF NOT EXISTS $name ($columns)"

  /** Creates the table if the table does not exist. */
  def ensure(session: CqlSession): Unit =
    // The driver's metadata may be outdated.
    if (!isKnown(session) && !isThere(session)) {
      session.execute(SimpleStatement.newInstance(create))
      ()
    }

  /** Runs requests to the table, and converts the driver's failures. */
  def guarded[A](requests: => A): A =
    try requests
    catch {
      case e: DriverException => throw refused(s"$keyspace.$table", create, RequestCauses.describe(e), e)
    }

  private def isKnown(session: CqlSession): Boolean =
    Option(session.getMetadata.getKeyspace(CqlIdentifier.fromInternal(keyspace)).orElse(null))
      .exists(_.getTable(CqlIdentifier.fromInternal(table)).isPresent)

  private def isThere(session: CqlSession): Boolean = {
    val select = "SELECT table_name FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?"
    session.execute(SimpleStatement.newInstance(select, keyspace, table).setIdempotent(true)).one() != null
  }
}
