// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.rejects

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8
import java.sql.ResultSet

import scala.util.Try

import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.execution.datasources.jdbc.JdbcUtils
import org.apache.spark.sql.types._

import stoplog.format.JsonEncoder
import stoplog.jdbc.rows.JdbcRow
import stoplog.jdbc.types.ColumnType

/** Formats rejected rows as JSON by Spark's own generator, including nulls: a person who repairs a row needs
  * to see the missing values. A row that JSON does not support is formatted as in Java.
  *
  * @param columns the columns of the target for the fields of the schema
  */
private[jdbc] final class RejectedRowJson(
    schema: StructType,
    columns: Seq[ColumnType],
    sessionTimeZone: String
) extends StagedText
    with Serializable {
  private val rows   = new RowJson(schema, sessionTimeZone)
  private val staged = StructType(schema.zip(columns).map { case (field, column) =>
    if (RejectedRowJson.isReadable(field.dataType, column)) field else StructField(field.name, StringType)
  })
  private val stagedRows = new RowJson(staged, sessionTimeZone)

  /** Returns the text of a row of a task. */
  def text(row: JdbcRow): String = row.origin match {
    case origin: InternalRow => rows.text(origin)
    case _                   => spelled(row)
  }

  /** Returns the text of a staged row. */
  override def text(result: ResultSet): String = {
    val convert = CatalystTypeConverters.createToCatalystConverter(staged)
    stagedRows.text(convert(JdbcUtils.resultSetToRows(result, staged).next()).asInstanceOf[InternalRow])
  }

  private def spelled(row: JdbcRow): String =
    schema.fieldNames.zip(row.values).map { case (name, value) => s"$name=$value" }.mkString("(", ", ", ")")
}

private object RejectedRowJson {

  /** Returns false if the value must be read as the database's own text. Spark's reader has no conversion for
    * some types, expects the column's own type for the elements of arrays, and reads a local time in the zone
    * of the JVM. SQLite's driver reads no dates and times of `TEXT` columns.
    */
  def isReadable(spark: DataType, column: ColumnType): Boolean = (spark, column) match {
    case (DateType | TimestampType | TimestampNTZType, ColumnType.Affine(affinity)) =>
      affinity != ColumnType.TextAffinity
    case (BooleanType | BinaryType | DateType | TimestampType | _: StringType | _: NumericType, _) => true
    case _                                                                                         => false
  }
}

/** Formats rows of a schema. */
private final class RowJson(schema: StructType, sessionTimeZone: String) extends Serializable {
  private val encoder = JsonEncoder(Map("ignoreNullFields" -> "false"), sessionTimeZone)

  @transient private lazy val expressible = Try(encoder.open(schema)).isSuccess

  def text(row: InternalRow): String = Option
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
}

/** Formats the single row of a result as the text of a rejected row. */
private[jdbc] trait StagedText {
  def text(result: java.sql.ResultSet): String
}
