// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.table

import java.sql.{Connection, ResultSet, ResultSetMetaData}
import java.util.Locale

import scala.util.Using

import stoplog.jdbc.client.{Dialect, TableName}
import stoplog.jdbc.types.{ColumnType, JdbcTypes, TypeNames}

/** The description of a column in the database's catalog.
  *
  * @param source the origin of the values
  */
private[jdbc] final case class CatalogColumn(columnType: ColumnType, source: ValueSource)

/** The origin of a column's values. */
private[jdbc] sealed trait ValueSource

private[jdbc] object ValueSource {

  /** Each insert, or a default. */
  case object Rows extends ValueSource

  /** The database computes every value. */
  case object Computed extends ValueSource

  /** The database assigns the next number to rows without a value. */
  case object Numbered extends ValueSource
}

/** The catalogs of databases whose drivers do not describe columns completely. */
private[jdbc] object Catalog {

  /** Returns the columns by name; empty if the metadata of the driver is sufficient. */
  def columns(connection: Connection, table: String, dialect: Dialect): Map[String, CatalogColumn] =
    dialect match {
      case Dialect.PostgreSql =>
        query(connection, PostgreSqlColumns, table) { row =>
          val source = if (row.getBoolean(3)) ValueSource.Computed else ValueSource.Rows
          row.getString(1) -> CatalogColumn(TypeNames.postgreSql(row.getString(2)), source)
        }.toMap
      case Dialect.MySql =>
        val at = TableName.located(table, connection)
        query(connection, MySqlColumns, at.mySqlDatabase.orNull, at.name) { row =>
          val source = mySqlSource(s" ${row.getString(3)}".toUpperCase(Locale.ROOT))
          row.getString(1) -> CatalogColumn(numbered(TypeNames.mySql(row.getString(2)), source), source)
        }.toMap
      case Dialect.Sqlite =>
        query(connection, SqliteColumns, TableName.located(table, connection).name) { row =>
          val source = if (row.getBoolean(3)) ValueSource.Numbered else ValueSource.Rows
          row.getString(1) -> CatalogColumn(numbered(TypeNames.sqlite(row.getString(2)), source), source)
        }.toMap
      case _ => Map.empty
    }

  /** Returns the columns that the database computes, by the catalog of the SQL standard. Some databases, such
    * as H2, accept an insert of no rows into these columns.
    */
  def computedColumns(connection: Connection, table: String, dialect: Dialect): Set[String] = dialect match {
    case Dialect.Merge =>
      val at = TableName.located(table, connection)
      query(connection, StandardComputed, at.schema.orNull, at.name)(_.getString(1)).toSet
    case _ => Set.empty
  }

  /** Returns true if the database stores an empty text as null, as Oracle does. */
  def storesEmptyAsNull(connection: Connection, table: String, dialect: Dialect): Boolean =
    dialect == Dialect.Merge && query(
      connection,
      s"SELECT CASE WHEN '' IS NULL THEN 1 ELSE 0 END FROM (SELECT COUNT(*) AS n FROM $table WHERE 1 = 0) s"
    )(_.getInt(1)).contains(1)

  // DEFAULT_GENERATED is a default.
  private def mySqlSource(extra: String): ValueSource =
    if (extra.contains(" GENERATED")) ValueSource.Computed
    else if (extra.contains("AUTO_INCREMENT")) ValueSource.Numbered
    else ValueSource.Rows

  private def numbered(columnType: ColumnType, source: ValueSource): ColumnType =
    if (source == ValueSource.Numbered) ColumnType.Numbered(columnType) else columnType

  /** Returns the type of a column of a result by the metadata of the driver. */
  def reported(meta: ResultSetMetaData, column: Int, dialect: Dialect): ColumnType = dialect match {
    case Dialect.Sqlite => TypeNames.sqlite(Option(meta.getColumnTypeName(column)).getOrElse(""))
    case _              => JdbcTypes.of(meta, column)
  }

  /** Returns the columns of each key that the database may check only at the commit. MySQL, MariaDB and
    * SQLite have no such keys. H2 has none, and reports so by the standard's catalog.
    */
  def deferrableKeys(connection: Connection, table: String, dialect: Dialect): Seq[Set[String]] =
    dialect match {
      case Dialect.PostgreSql => keys(query(connection, PostgreSqlDeferrable, table)(keyColumn))
      case Dialect.Derby      => derbyDeferrable(connection, TableName.located(table, connection))
      case Dialect.Merge      =>
        val at = TableName.located(table, connection)
        keys(query(connection, StandardDeferrable, at.schema.orNull, at.name)(keyColumn))
      case Dialect.MySql | Dialect.Sqlite => Nil
    }

  /** Returns the columns of which a unique key of MySQL contains only the first characters, such as
    * `name(10)`, by the key and the column: two rows with different values in the column may have one key.
    */
  def cutColumns(
      connection: Connection,
      at: TableName.Located,
      dialect: Dialect
  ): Map[(String, String), String] = dialect match {
    case Dialect.MySql =>
      query(connection, MySqlCutColumns, at.mySqlDatabase.orNull, at.name) { row =>
        (row.getString(1) -> row.getString(2)) -> s"${row.getString(2)}(${row.getString(3)})"
      }.toMap
    case _ => Map.empty
  }

  private def keyColumn(row: ResultSet): (String, String) = row.getString(1) -> row.getString(2)

  /** Derby's catalog names the index of a constraint, and the driver reports the columns of the index. */
  private def derbyDeferrable(connection: Connection, at: TableName.Located): Seq[Set[String]] = {
    val indexes = query(connection, DerbyDeferrable, at.schema.orNull, at.name)(_.getString(1)).toSet
    val columns =
      Using.resource(connection.getMetaData.getIndexInfo(null, at.schema.orNull, at.name, false, true)) {
        Iterator
          .continually(_)
          .takeWhile(_.next())
          .map(row => row.getString("INDEX_NAME") -> row.getString("COLUMN_NAME"))
          .toVector
      }
    keys(columns.filter { case (index, _) => indexes(index) })
  }

  private def keys(columns: Seq[(String, String)]): Seq[Set[String]] =
    columns.groupMap(_._1)(_._2).values.map(_.toSet).toSeq

  /** Returns what the session of a connection lacks, each as a sentence.
    *
    * @param table   the target
    * @param written the types of the columns that the rows have
    */
  def sessionProblems(
      connection: Connection,
      dialect: Dialect,
      table: TargetTable,
      written: Seq[ColumnType]
  ): Seq[String] = dialect match {
    case Dialect.MySql => MySqlSession.problems(connection, table, written)
    case _             => Nil
  }

  private[table] def query[A](connection: Connection, sql: String, parameters: String*)(
      read: ResultSet => A
  ): Vector[A] = Using.resource(connection.prepareStatement(sql)) { statement =>
    parameters.zipWithIndex.foreach { case (value, i) => statement.setString(i + 1, value) }
    Using.resource(statement.executeQuery())(Iterator.continually(_).takeWhile(_.next()).map(read).toVector)
  }

  // A domain counts as its base type, also as the base of another domain and as the element of an array.
  private final val PostgreSqlColumns =
    "WITH RECURSIVE domains (name, base, modifier) AS (" +
      "SELECT oid, typbasetype, typtypmod FROM pg_type WHERE typtype = 'd' UNION ALL " +
      "SELECT d.name, t.typbasetype, t.typtypmod FROM domains d JOIN pg_type t ON t.oid = d.base " +
      "WHERE t.typtype = 'd') " +
      "SELECT a.attname, CASE WHEN d.name IS NULL THEN format_type(a.atttypid, a.atttypmod) " +
      "ELSE format_type(d.base, d.modifier) || CASE WHEN d.name = t.oid THEN '' ELSE '[]' END END, " +
      "a.attidentity = 'a' OR a.attgenerated <> '' " +
      "FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid " +
      "LEFT JOIN domains d ON d.name IN (t.oid, t.typelem) " +
      "AND NOT EXISTS (SELECT FROM pg_type b WHERE b.oid = d.base AND b.typtype = 'd') " +
      "WHERE a.attrelid = CAST(? AS regclass) AND a.attnum > 0 AND NOT a.attisdropped"

  private final val PostgreSqlDeferrable =
    "SELECT CAST(i.indexrelid AS TEXT), a.attname FROM pg_index i " +
      "JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey) " +
      "WHERE i.indrelid = CAST(? AS regclass) AND i.indisunique AND NOT i.indimmediate"

  // The states of deferrable constraints, enforced or not, initially deferred or immediate.
  private final val DerbyDeferrable =
    "SELECT g.conglomeratename FROM sys.sysconstraints c JOIN sys.syskeys k ON k.constraintid = c.constraintid " +
      "JOIN sys.sysconglomerates g ON g.conglomerateid = k.conglomerateid " +
      "JOIN sys.systables t ON t.tableid = c.tableid JOIN sys.sysschemas s ON s.schemaid = t.schemaid " +
      "WHERE s.schemaname = ? AND t.tablename = ? AND c.type IN ('P', 'U') AND c.state IN ('e', 'd', 'i', 'j')"

  private final val StandardDeferrable =
    "SELECT c.constraint_name, k.column_name FROM information_schema.table_constraints c " +
      "JOIN information_schema.key_column_usage k ON k.constraint_schema = c.constraint_schema " +
      "AND k.constraint_name = c.constraint_name AND k.table_name = c.table_name " +
      "WHERE c.table_schema = ? AND c.table_name = ? AND c.is_deferrable = 'YES' " +
      "AND c.constraint_type IN ('PRIMARY KEY', 'UNIQUE')"

  private final val StandardComputed =
    "SELECT column_name FROM information_schema.columns WHERE table_schema = ? AND table_name = ? " +
      "AND (is_generated = 'ALWAYS' OR identity_generation = 'ALWAYS')"

  // An INTEGER PRIMARY KEY is the row id.
  private final val SqliteColumns =
    "SELECT c.name, c.type, c.pk = 1 AND upper(c.type) = 'INTEGER' AND " +
      "(SELECT count(*) FROM pragma_table_info(t.name) k WHERE k.pk > 0) = 1 " +
      "FROM (SELECT ? AS name) t JOIN pragma_table_xinfo(t.name) c"

  private final val MySqlCutColumns =
    "SELECT index_name, column_name, sub_part FROM information_schema.statistics " +
      "WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ? AND sub_part IS NOT NULL"

  private final val MySqlColumns =
    "SELECT column_name, column_type, extra FROM information_schema.columns " +
      "WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?"
}
