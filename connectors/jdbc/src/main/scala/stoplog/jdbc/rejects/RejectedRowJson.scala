// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.rejects

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8
import java.sql.ResultSet

import scala.util.Try

import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.execution.datasources.jdbc.JdbcUtils
import org.apache.spark.sql.types.StructType

import stoplog.format.JsonEncoder
import stoplog.jdbc.rows.JdbcRow

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

/** Formats the single row of a result as the text of a rejected row. */
private[jdbc] trait StagedText {
  def text(result: java.sql.ResultSet): String
}
