// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.table

import java.sql.Connection
import java.time.{LocalDateTime, Month, ZoneId}

import scala.util.Try
import scala.util.control.NonFatal

import stoplog.jdbc.client.{ConnectionSource, JdbcErrors}
import stoplog.jdbc.types.ColumnType

/** The settings of a MySQL session by which the server changes values without an error. */
private object MySqlSession {

  /** Returns all problems, each as a sentence.
    *
    * @param written the types of the columns that the rows have
    */
  def problems(connection: Connection, table: TargetTable, written: Seq[ColumnType]): Seq[String] = {
    val isZoned = written.exists(_.isInstanceOf[ColumnType.SessionMoment])
    strictness(connection, table).toSeq ++ characters(connection) ++
      (if (isZoned) defaults(connection).toSeq ++ zone(connection, ZoneId.systemDefault) else Nil)
  }

  /** In a table without transactions, STRICT_TRANS_TABLES covers only the first row of a statement. */
  private def strictness(connection: Connection, table: TargetTable): Option[String] = {
    val modes  = text(connection, "SELECT @@SESSION.sql_mode").split(",").toSet
    val strict =
      if (table.transactionProblem.isEmpty) Seq("STRICT_TRANS_TABLES", "STRICT_ALL_TABLES")
      else Seq("STRICT_ALL_TABLES")
    Option.when(!strict.exists(modes))(
      "The sql_mode of its sessions is not strict, so that the database would change values without an error: " +
        s"add ${strict.head}."
    )
  }

  /** The server converts texts from this character set. Drivers send UTF-8, or replace characters that the
    * character set lacks.
    */
  private def characters(connection: Connection): Option[String] = {
    val name = text(connection, "SELECT @@SESSION.character_set_client")
    Option.when(name != "utf8mb4")(
      s"The character_set_client of its sessions is $name, so that the database would change strings " +
        "without an error: set it to utf8mb4."
    )
  }

  private def defaults(connection: Connection): Option[String] =
    Option.when(text(connection, "SELECT @@SESSION.explicit_defaults_for_timestamp") == "0")(
      "Its sessions have explicit_defaults_for_timestamp=OFF, so that the database would replace nulls in " +
        "TIMESTAMP columns by the current time: set it to ON."
    )

  /** Returns the difference between the time zone of the session and the zone of the values as a sentence.
    * The server converts local times to points in time by the zone of the session.
    */
  private[table] def zone(connection: Connection, zone: ZoneId): Option[String] = {
    val columns = moments.map(at => s"UNIX_TIMESTAMP('${at.toString.replace('T', ' ')}')")
    val server  = Catalog.query(connection, s"SELECT ${columns.mkString(", ")}") { row =>
      columns.indices.map(i => row.getLong(i + 1))
    }
    val different = moments.zip(server.head).collect {
      case (at, seconds) if at.atZone(zone).toEpochSecond != seconds => at.toLocalDate
    }
    different.lastOption.map { day =>
      val name = text(connection, "SELECT CONCAT(@@SESSION.time_zone, ' ', @@system_time_zone)")
      s"Its sessions have the time zone $name, and the sink sends local times of $zone, which differ on $day: " +
        s"points in time would be shifted. Set the time_zone of all sessions to $zone in url."
    }
  }

  /** A winter and a summer of each year of the type TIMESTAMP: zones with equal rules today may differ in the
    * past.
    */
  private val moments = for {
    year  <- 1971 to 2037
    month <- Seq(Month.JANUARY, Month.JULY)
  } yield LocalDateTime.of(year, month, 15, 12, 0)

  private def text(connection: Connection, sql: String): String =
    Catalog.query(connection, sql)(_.getString(1)).mkString
}

/** Connections whose sessions have the zone of the sent local times. Executors may have other zones than the
  * driver, and a driver of the database may use the zone of its JVM.
  */
private[jdbc] final class ZonedConnections private (source: ConnectionSource, target: Target, zone: ZoneId)
    extends ConnectionSource {

  /** Error: `STOPLOG_ROW_COLUMNS` if the session has another zone. */
  override def open(): Connection = {
    val connection = source.open()
    try {
      MySqlSession.zone(connection, zone).foreach { why =>
        throw JdbcErrors.table(target.table, target.database, Seq(why))
      }
      connection
    } catch {
      case NonFatal(e) =>
        Try(connection.close())
        throw e
    }
  }
}

private[jdbc] object ZonedConnections {

  /** Returns `source` unchanged if the server converts no value by the zone of the session. */
  def of(source: ConnectionSource, target: Target, zone: ZoneId): ConnectionSource = {
    val isZoned = target.columns.exists(_.declared.isInstanceOf[ColumnType.SessionMoment])
    if (isZoned) new ZonedConnections(source, target, zone) else source
  }
}
