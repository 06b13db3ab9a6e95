// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.sql.{ResultSet, Types}
import java.util.HexFormat

import scala.util.Try

import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.execution.datasources.jdbc.JdbcUtils
import org.apache.spark.sql.jdbc.JdbcDialects
import org.apache.spark.sql.types.{StringType, StructType}

import stoplog.format.JsonEncoder

/** The handling of a task's rows that the database rejects. */
private[jdbc] trait Rejects {
  def take(row: JdbcRow, why: Throwable): Unit

  /** Whether superseded rows of a key must be kept, because the later row may be bad. */
  def superseded: RowBuffer.Superseded

  /** Returns the number of rejected rows after the database has stored all of them. */
  def finish(): Long
}

private[jdbc] object Rejects {

  /** Fails the task, and thereby its epoch. */
  final class Fail(target: Target, describe: JdbcRow => String) extends Rejects {
    override def take(row: JdbcRow, why: Throwable): Unit =
      throw JdbcErrors.badRow(target.table, describe(row), why)
    override def superseded: RowBuffer.Superseded = RowBuffer.Superseded.Dropped

    override def finish(): Long = 0
  }

  /** Writes the rows to the reject table, or stages the rows for the reject table.
    *
    * @param identify returns the id of a rejected row from the row's number in the task and the row's text
    * @param send     called with rows of the reject table
    */
  final class Keep(
      sink: String,
      batch: Option[Long],
      batchRows: Int,
      describe: JdbcRow => String,
      identify: (Long, String) => String,
      send: IndexedSeq[JdbcRow] => Unit
  ) extends Rejects {
    private[this] val buffer = new RowBuffer.InTurn(batchRows, send)
    private[this] var count  = 0L

    override def take(row: JdbcRow, why: Throwable): Unit = {
      val text = describe(row)
      val kept = RejectTable.row(identify(count, text), sink, batch, why, text)
      count += 1
      buffer.add(kept)
    }

    override def superseded: RowBuffer.Superseded = RowBuffer.Superseded.Kept

    override def finish(): Long = {
      buffer.flush()
      count
    }
  }

  /** Returns an id that is equal for the same row of the same batch, regardless of the task and the run. */
  def contentId(sink: String, batch: Option[Long])(number: Long, text: String): String = {
    val digest = MessageDigest.getInstance("SHA-256")
    digest.update(s"$sink\n${batch.fold("")(_.toString)}\n$text".getBytes(UTF_8))
    HexFormat.of().formatHex(digest.digest())
  }
}

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
    Batches.execute(delete, distinct)(row => columns(0).bind(delete, 1, row.values(0)))
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

/** Formats rejected rows as JSON by Spark's own generator, including nulls: a person who repairs a row needs
  * to see the missing values. A row that JSON does not support is formatted as in Java.
  */
private[jdbc] final class RejectedRowJson(schema: StructType, sessionTimeZone: String)
    extends StagedText
    with Serializable {
  private val encoder = JsonEncoder(Map("ignoreNullFields" -> "false"), sessionTimeZone)

  @transient private lazy val expressible = Try(encoder.open(schema)).isSuccess

  /** Returns the text of a row of a task. */
  def text(row: JdbcRow): String = row.origin match {
    case origin: InternalRow => text(origin)
    case _                   => spelled(row)
  }

  /** Returns the text of a staged row. */
  override def text(result: ResultSet): String = {
    val convert = CatalystTypeConverters.createToCatalystConverter(schema)
    text(convert(JdbcUtils.resultSetToRows(result, schema).next()).asInstanceOf[InternalRow])
  }

  private def text(row: InternalRow): String = Option
    .when(expressible)(Try {
      val out = new ByteArrayOutputStream()
      encoder.encode(row, out)
      out.toString(UTF_8).trim
    }.toOption)
    .flatten
    .getOrElse(
      schema.fields.zipWithIndex
        .map { case (field, i) =>
          s"${field.name}=${Try(row.get(i, field.dataType)).getOrElse("?")}"
        }
        .mkString(", ")
    )

  private def spelled(row: JdbcRow): String =
    schema.fieldNames.zip(row.values).map { case (name, value) => s"$name=$value" }.mkString("(", ", ", ")")
}
