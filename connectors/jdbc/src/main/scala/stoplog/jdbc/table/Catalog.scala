// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.table

import java.sql.{Connection, ResultSet, ResultSetMetaData}

import scala.util.Using

import stoplog.jdbc.client.{Dialect, TableName}
import stoplog.jdbc.types.{ColumnType, JdbcTypes, TypeNames}

/** The description of a column in the database's catalog.
  *
  * @param isGenerated true if the database computes every value
  */
private[jdbc] final case class CatalogColumn(columnType: ColumnType, isGenerated: Boolean)

/** The catalogs of databases whose drivers do not describe columns completely. */
private[jdbc] object Catalog {

  /** Returns the columns by name; empty if the metadata of the driver is sufficient. */
  def columns(connection: Connection, table: String, dialect: Dialect): Map[String, CatalogColumn] =
    dialect match {
      case Dialect.PostgreSql =>
        query(connection, PostgreSqlColumns, table) { row =>
          row.getString(1) -> CatalogColumn(TypeNames.postgreSql(row.getString(2)), row.getBoolean(3))
        }.toMap
      case Dialect.MySql =>
        val at = TableName.located(table, connection)
        query(connection, MySqlColumns, at.catalog.orNull, at.name) { row =>
          val extra = s" ${row.getString(3)}".toUpperCase(java.util.Locale.ROOT)
          // DEFAULT_GENERATED is a default.
          row.getString(1) -> CatalogColumn(TypeNames.mySql(row.getString(2)), extra.contains(" GENERATED"))
        }.toMap
      case _ => Map.empty
    }

  /** Returns the type of a column of a result by the metadata of the driver. */
  def reported(meta: ResultSetMetaData, column: Int, dialect: Dialect): ColumnType = dialect match {
    case Dialect.Sqlite => TypeNames.sqlite(Option(meta.getColumnTypeName(column)).getOrElse(""))
    case _              => JdbcTypes.of(meta, column)
  }

  /** Returns the keys of a table that upserts cannot use, because the database checks them late. */
  def deferredKeys(connection: Connection, table: String, dialect: Dialect): Seq[Set[String]] =
    dialect match {
      case Dialect.PostgreSql =>
        query(connection, DeferredKeys, table)(row => row.getLong(1) -> row.getString(2))
          .groupMap(_._1)(_._2)
          .values
          .map(_.toSet)
          .toSeq
      case _ => Nil
    }

  /** Returns what the session of a connection lacks, each as a sentence.
    *
    * @param zoned true if the rows have points in time that the session converts
    */
  def sessionProblems(connection: Connection, dialect: Dialect, zoned: Boolean): Seq[String] = dialect match {
    case Dialect.MySql =>
      val modes = query(connection, "SELECT @@SESSION.sql_mode")(_.getString(1)).mkString
      val lax   = Option.when(!modes.contains("STRICT_TRANS_TABLES") && !modes.contains("STRICT_ALL_TABLES"))(
        "The sql_mode of its sessions is not strict, so that the database would change values without an error: " +
          "add STRICT_TRANS_TABLES."
      )
      lax.toSeq ++ Option.when(zoned)(SessionZone.problem(connection)).flatten
    case _ => Nil
  }

  private[table] def query[A](connection: Connection, sql: String, parameters: String*)(
      read: ResultSet => A
  ): Vector[A] = Using.resource(connection.prepareStatement(sql)) { statement =>
    parameters.zipWithIndex.foreach { case (value, i) => statement.setString(i + 1, value) }
    Using.resource(statement.executeQuery())(Iterator.continually(_).takeWhile(_.next()).map(read).toVector)
  }

  private final val PostgreSqlColumns =
    "SELECT a.attname, CASE WHEN t.typtype = 'd' THEN format_type(t.typbasetype, t.typtypmod) " +
      "ELSE format_type(a.atttypid, a.atttypmod) END, a.attidentity = 'a' OR a.attgenerated <> '' " +
      "FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid " +
      "WHERE a.attrelid = CAST(? AS regclass) AND a.attnum > 0 AND NOT a.attisdropped"

  private final val DeferredKeys =
    "SELECT i.indexrelid, a.attname FROM pg_index i " +
      "JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey) " +
      "WHERE i.indrelid = CAST(? AS regclass) AND i.indisunique AND NOT i.indimmediate"

  private final val MySqlColumns =
    "SELECT column_name, column_type, extra FROM information_schema.columns " +
      "WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?"
}

/** The time zone of a session of MySQL, by which the server converts local times to points in time. */
private object SessionZone {

  /** Returns the difference to the zone of the JVM as a sentence. Compares a winter and a summer. */
  def problem(connection: Connection): Option[String] = {
    val differs = Seq("2026-01-15T12:00:00", "2026-07-15T12:00:00").exists { text =>
      val local  = java.time.LocalDateTime.parse(text)
      val server =
        Catalog.query(connection, s"SELECT UNIX_TIMESTAMP('${text.replace('T', ' ')}')")(_.getLong(1))
      server.head != local.atZone(java.time.ZoneId.systemDefault).toEpochSecond
    }
    Option.when(differs) {
      val zone = Catalog.query(connection, "SELECT CONCAT(@@SESSION.time_zone, ' ', @@system_time_zone)")(
        _.getString(1)
      )
      s"Its sessions have the time zone ${zone.mkString}, and the JVM has ${java.time.ZoneId.systemDefault}: " +
        "points in time would be shifted. Set the time_zone of the session to the zone of the JVM in url."
    }
  }
}
