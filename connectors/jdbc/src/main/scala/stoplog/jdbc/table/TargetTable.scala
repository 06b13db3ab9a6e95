// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.table

import java.sql.{Connection, DatabaseMetaData, ResultSet}
import java.util.Locale

import scala.util.{Try, Using}
import scala.util.control.NonFatal

import stoplog.jdbc.client.{Dialect, FailureKind, TableName}
import stoplog.jdbc.types.ColumnType
import stoplog.util.ColumnNames

/** A table as described by the database.
  *
  * @param columns  the columns with their exact names
  * @param required columns that cannot be null and have no default; empty if the database does not report
  *                 them
  * @param keys     the columns of each unique index or primary key; `None` if the database does not report
  *                 them
  * @param deferrableKeys     keys that the database may check only at the commit
  * @param transactionProblem the reason why the table does not take part in transactions
  */
private[jdbc] final case class TargetTable(
    columns: Vector[TargetColumn],
    required: Set[String],
    keys: Option[Seq[Set[String]]],
    deferrableKeys: Seq[Set[String]],
    transactionProblem: Option[String]
) {

  /** Returns the column that [[ColumnNames]] finds. */
  def column(name: String): Option[TargetColumn] = ColumnNames.index(columns.map(_.name), name).map(columns)
}

/** @param jdbcType one of `java.sql.Types`
  * @param typeName the type's name in the database
  * @param catalog  the type, and the origin of the values
  */
private[jdbc] final case class TargetColumn(
    name: String,
    jdbcType: Int,
    typeName: String,
    catalog: CatalogColumn
)

private[jdbc] object TargetTable {

  /** Reads the description of a table. Throws the database's own error if the table does not exist or another
    * attempt may succeed.
    */
  def inspect(connection: Connection, table: String, dialect: Dialect): TargetTable = {
    val catalog = ifReported(dialect)(Catalog.columns(connection, table, dialect)).getOrElse(Map.empty)
    val always = ifReported(dialect)(Catalog.computedColumns(connection, table, dialect)).getOrElse(Set.empty)
    val columns = described(connection, table, dialect)(catalog.get, always)
    val at      = ifReported(dialect)(TableName.located(table, connection))
    val meta    = connection.getMetaData
    TargetTable(
      columns,
      at.flatMap(t => ifReported(dialect)(required(meta, t))).getOrElse(Set.empty),
      at.flatMap(t => ifReported(dialect)(keys(connection, t, dialect))).flatten,
      ifReported(dialect)(Catalog.deferrableKeys(connection, table, dialect)).getOrElse(Nil),
      dialect.transactionProblem(connection, table)
    )
  }

  /** Returns why a table of the sink does not have a key that the database checks with each row, as a clause
    * about the table.
    */
  def keyProblem(
      connection: Connection,
      table: String,
      dialect: Dialect,
      columns: Set[String]
  ): Option[String] = {
    def isKey(key: Set[String]) = key.map(_.toLowerCase(Locale.ROOT)) == columns
    val named                   = columns.mkString("(", ", ", ")")
    val at                      = ifReported(dialect)(TableName.located(table, connection))
    at.flatMap(t => ifReported(dialect)(keys(connection, t, dialect))).flatten.flatMap { all =>
      val late = ifReported(dialect)(Catalog.deferrableKeys(connection, table, dialect)).getOrElse(Nil)
      if (late.exists(isKey)) Some(s"its key $named is deferrable")
      else Option.unless(all.exists(isKey))(s"it has no key $named")
    }
  }

  /** Returns `None` if the database or its driver does not report the metadata. Transient failures are
    * thrown: without metadata, checks would be skipped, and upserts into a table without their key would
    * append.
    */
  private def ifReported[A](dialect: Dialect)(ask: => A): Option[A] =
    try Some(ask)
    catch { case NonFatal(e) if FailureKind.of(e, dialect) != FailureKind.Transient => None }

  private def described(
      connection: Connection,
      table: String,
      dialect: Dialect
  )(catalog: String => Option[CatalogColumn], computed: Set[String]): Vector[TargetColumn] = {
    val isEmptyNull =
      ifReported(dialect)(Catalog.storesEmptyAsNull(connection, table, dialect)).contains(true)
    Using.resource(connection.createStatement()) { statement =>
      val columns = statement.executeQuery(s"SELECT * FROM $table WHERE 1 = 0").getMetaData
      (1 to columns.getColumnCount).map { i =>
        val name  = columns.getColumnName(i)
        val known = catalog(name).getOrElse {
          val source = if (computed(name)) ValueSource.Computed else ValueSource.Rows
          val found  = Catalog.reported(columns, i, dialect) match {
            case values @ (_: ColumnType.Text | _: ColumnType.Bytes) if isEmptyNull =>
              ColumnType.NeverEmpty(values)
            case other => other
          }
          CatalogColumn(found, source)
        }
        TargetColumn(name, columns.getColumnType(i), columns.getColumnTypeName(i), known)
      }.toVector
    }
  }

  private def required(meta: DatabaseMetaData, table: TableName.Located): Set[String] =
    rows(
      meta.getColumns(
        table.catalog.orNull,
        table.schema.map(escaped(_, meta)).orNull,
        escaped(table.name, meta),
        null
      )
    ) { row =>
      val mandatory = row.getInt("NULLABLE") == DatabaseMetaData.columnNoNulls
      val filled    = row.getString("COLUMN_DEF") != null || Seq("IS_AUTOINCREMENT", "IS_GENERATEDCOLUMN")
        .exists(flag => Try(row.getString(flag)).toOption.contains("YES"))
      Option.when(mandatory && !filled && isOf(row, table))(row.getString("COLUMN_NAME"))
    }.flatten.toSet

  private def keys(
      connection: Connection,
      table: TableName.Located,
      dialect: Dialect
  ): Option[Seq[Set[String]]] = {
    val meta                                = connection.getMetaData
    val cut                                 = Catalog.cutColumns(connection, table, dialect)
    def member(key: String, column: String) = cut.getOrElse(key -> column, column)
    val primary = rows(meta.getPrimaryKeys(table.catalog.orNull, table.schema.orNull, table.name))(row =>
      member("PRIMARY", row.getString("COLUMN_NAME"))
    ).toSet
    val unique = rows(
      meta.getIndexInfo(table.catalog.orNull, table.schema.orNull, table.name, true, true)
    ) { row =>
      val whole = Try(row.getString("FILTER_CONDITION")).toOption.forall(_ == null)
      Option(row.getString("INDEX_NAME"))
        .filter(_ => whole)
        .map(key => key -> member(key, row.getString("COLUMN_NAME")))
    }.flatten.groupMap(_._1)(_._2).values.map(_.toSet).toSeq
    val exists = rows(
      meta.getTables(table.catalog.orNull, table.schema.orNull, escaped(table.name, meta), null)
    )(_ => ()).nonEmpty
    Option.when(exists)((primary +: unique).filter(_.nonEmpty))
  }

  // Databases without an escape character return all tables that match a pattern.
  private def isOf(row: ResultSet, table: TableName.Located): Boolean = {
    def same(column: String, name: Option[String]) =
      name.forall(n => Option(row.getString(column)).forall(_.equalsIgnoreCase(n)))
    same("TABLE_NAME", Some(table.name)) && same("TABLE_SCHEM", table.schema)
  }

  private def rows[A](result: ResultSet)(read: ResultSet => A): Vector[A] =
    Using.resource(result)(Iterator.continually(_).takeWhile(_.next()).map(read).toVector)

  // For methods that expect a pattern, if the name contains pattern characters.
  private def escaped(name: String, meta: DatabaseMetaData): String = {
    val escape = Option(meta.getSearchStringEscape).getOrElse("")
    if (escape.isEmpty) name else name.replace("_", s"${escape}_").replace("%", s"$escape%")
  }
}
