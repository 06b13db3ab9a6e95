// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql.Types

import org.apache.spark.sql.execution.datasources.jdbc.JdbcUtils
import org.apache.spark.sql.jdbc.JdbcDialects
import org.apache.spark.sql.types.StringType

/** The table of rejected rows, which the sink makes if it is not there.
  *
  * @param textType what the database calls a text of any length
  */
private[jdbc] final case class RejectTable(table: String, textType: String) {

  def create: String =
    s"CREATE TABLE $table (id VARCHAR(64) NOT NULL PRIMARY KEY, sink_name VARCHAR(255) NOT NULL, batch BIGINT, " +
      s"reason $textType, row_json $textType)"

  def columns: Vector[Column] = RejectTable.columns

  /** In a transaction of the caller. */
  def insert(session: Session, rows: Iterable[JdbcRow]): Unit =
    Upserts.insertion(table, columns.map(_.quoted)).execute(session, columns, rows)

  /** The same where a row with its id may be there. */
  def replace(session: Session, rows: Iterable[JdbcRow]): Unit = {
    val distinct = rows.groupBy(_.values(0)).values.map(_.head)
    val delete   = session.statement(s"DELETE FROM $table WHERE id = ?")
    Batches.execute(delete, distinct)(row => columns(0).bind(delete, 1, row.values(0)))
    insert(session, distinct)
  }
}

private[jdbc] object RejectTable {

  def row(id: String, sink: String, batch: Option[Long], why: Throwable, text: String): JdbcRow =
    new JdbcRow(Array[Any](id, sink, batch.map(Long.box).orNull, reason(why), text), null)

  private val columns = Vector(
    "id"        -> Types.VARCHAR,
    "sink_name" -> Types.VARCHAR,
    "batch"     -> Types.BIGINT,
    "reason"    -> Types.VARCHAR,
    "row_json"  -> Types.VARCHAR
  ).map { case (name, jdbcType) => Column(name, name, jdbcType) }

  // The first line, which says what is wrong; a batch's own exception only says that there is another one.
  private def reason(why: Throwable): String = {
    val message = JdbcErrors.messageOf(why)
    if (message.length <= LongestReason) message else message.take(LongestReason) + "…"
  }

  private final val LongestReason = 2000
}

/** What a database calls a text of any length, as Spark's own `jdbc` format makes tables. */
private[jdbc] object TextTypes {
  def of(url: String): String =
    JdbcUtils.getJdbcType(StringType, JdbcDialects.get(url)).databaseTypeDefinition
}
