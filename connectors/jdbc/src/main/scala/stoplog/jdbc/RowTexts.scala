// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8
import java.sql.ResultSet

import scala.util.Try

import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.execution.datasources.jdbc.JdbcUtils
import org.apache.spark.sql.types.StructType

import stoplog.format.JsonEncoder

/** Rejected rows as JSON, by Spark's own generator, with every null: who repairs a row wants to see what is missing.
  * A row that JSON cannot express is written as Java spells it.
  */
private[jdbc] final class RowTexts(schema: StructType, sessionTimeZone: String)
    extends StagedText
    with Serializable {
  private val encoder = JsonEncoder(Map("ignoreNullFields" -> "false"), sessionTimeZone)

  @transient private lazy val expressible = Try(encoder.open(schema)).isSuccess

  /** A row of a task. */
  def text(row: JdbcRow): String = row.origin match {
    case origin: InternalRow => text(origin)
    case _                   => spelled(row)
  }

  /** A row that has been staged. */
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
