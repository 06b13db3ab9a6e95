// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.rejects

import java.sql.Types

import org.apache.spark.sql.execution.datasources.jdbc.JdbcUtils
import org.apache.spark.sql.jdbc.JdbcDialects
import org.apache.spark.sql.types.StringType

import stoplog.jdbc.client.{JdbcErrors, Session, Statement, Upserts}
import stoplog.jdbc.rows.{Column, JdbcRow}

/** The table of rejected rows, which the sink creates if the table does not exist.
  *
  * @param textType the database's type for a text of any length
  */
private[jdbc] final case class RejectTable(table: String, textType: String) {

  def create: String =
    s"CREATE TABLE $table (id VARCHAR(64) NOT NULL PRIMARY KEY, sink_name VARCHAR(255) NOT NULL, " +
      s"batch BIGINT, reason $textType, row_json $textType)"

  def columns: Vector[Column] = RejectTable.columns

  /** Inserts rows in a transaction of the caller. */
  def insert(session: Session, rows: Iterable[JdbcRow]): Unit =
    Upserts.insertion(table, columns.map(_.quoted)).execute(session, columns, rows)

  /** Inserts rows, and replaces rows with the same id. */
  def replace(session: Session, rows: Iterable[JdbcRow]): Unit = {
    val distinct = rows.groupBy(_.values(0)).values.map(_.head)
    val delete   = session.statement(s"DELETE FROM $table WHERE id = ?")
    Statement.executeBatch(delete, distinct)(row => columns(0).bind(delete, 1, row.values(0)))
    insert(session, distinct)
  }
}

private[jdbc] object RejectTable {

  /** @param url the URL of a database, by which Spark's own `jdbc` format chooses its types */
  def of(table: String, url: String): RejectTable =
    RejectTable(table, JdbcUtils.getJdbcType(StringType, JdbcDialects.get(url)).databaseTypeDefinition)

  def row(id: String, sink: String, batch: Option[Long], why: Throwable, text: String): JdbcRow =
    new JdbcRow(Array[Any](id, sink, batch.map(Long.box).orNull, reason(why), text), null)

  private val columns = Vector(
    "id"        -> Types.VARCHAR,
    "sink_name" -> Types.VARCHAR,
    "batch"     -> Types.BIGINT,
    "reason"    -> Types.VARCHAR,
    "row_json"  -> Types.VARCHAR
  ).map { case (name, jdbcType) => Column(name, name, jdbcType) }

  // The first line, with the cause; the exception of a batch only refers to the next exception.
  private def reason(why: Throwable): String = {
    val message = JdbcErrors.messageOf(why)
    if (message.length <= LongestReason) message else message.take(LongestReason) + "…"
  }

  private final val LongestReason = 2000
}
