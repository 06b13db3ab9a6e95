// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.OutputStream

import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference, Expression, GenericInternalRow, ToPrettyString
}
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Writes rejected rows as JSON lines, `{"reason":…,"bucket":…,"batch":…,"row":{…}}`, with Spark's generator.
  *
  * A row that JSON cannot express, or that is too large for the memory of the process, has a `text` instead
  * of the `row`: its columns as Spark shows values, each without the characters after the first million.
  *
  * Created on the driver, sent to each task, and opened there once.
  */
private[stoplog] final class RejectedLines(schema: StructType, sessionTimeZone: String) extends Serializable {
  import RejectedLines.RejectedRow

  private val rows  = RejectedLines.encoder(sessionTimeZone)
  private val texts = RejectedLines.encoder(sessionTimeZone)

  @transient private var expressible = false
  @transient private var forms       = Array.empty[Expression]

  def open(): Unit = {
    expressible = Try(rows.open(RejectedLines.columns.add("row", schema))).isSuccess
    texts.open(RejectedLines.columns.add("text", StringType))
    forms = schema.fields.map { field =>
      ToPrettyString(BoundReference(0, field.dataType, nullable = true), Some(sessionTimeZone))
    }
  }

  /** Writes a whole line to `out`, or nothing if an exception is thrown. */
  def write(rejected: RejectedRow, out: OutputStream): Unit =
    if (!expressible || Try(writeRow(rejected, out)).isFailure)
      texts.encode(line(rejected, text(spelled(rejected.row))), out)

  private def writeRow(rejected: RejectedRow, out: OutputStream): Unit = {
    rows.refuseLarge(rejected.row)
    rows.encode(line(rejected, rejected.row), out)
  }

  private def line(rejected: RejectedRow, row: Any): InternalRow = new GenericInternalRow(
    Array[Any](
      text(reason(rejected.why)),
      rejected.bucket.map(text).orNull,
      rejected.batch.map(Long.box).orNull,
      row
    )
  )

  private def reason(why: Throwable): String = {
    val message = Option(why.getMessage).filter(_.nonEmpty).getOrElse(why.toString)
    if (message.length <= RejectedLines.LongestReason) message
    else message.take(RejectedLines.LongestReason) + "…"
  }

  private def spelled(row: InternalRow): String = {
    val isLarge = Try(rows.refuseLarge(row)).isFailure
    schema.fields.zipWithIndex
      .map { case (field, i) =>
        s"${field.name}=${Try(spelled(row.get(i, field.dataType), i, isLarge)).getOrElse("?")}"
      }
      .mkString(", ")
  }

  /** Omits a nested value of a large row, because its form would take several times its memory. */
  private def spelled(value: Any, column: Int, isLarge: Boolean): String = value match {
    case long: UTF8String if long.numBytes > RejectedLines.LongestText =>
      long.substring(0, RejectedLines.LongestText).toString + "…"
    case long: Array[Byte] if long.length > RejectedLines.LongestText =>
      form(long.take(RejectedLines.LongestText), column) + "…"
    case _: InternalRow | _: ArrayData | _: MapData if isLarge => "…"
    case other                                                 =>
      val whole = form(other, column)
      if (whole.length <= RejectedLines.LongestText) whole else whole.take(RejectedLines.LongestText) + "…"
  }

  private def form(value: Any, column: Int): String =
    String.valueOf(forms(column).eval(new GenericInternalRow(Array[Any](value))))

  private def text(value: String): UTF8String = UTF8String.fromString(value)
}

private[stoplog] object RejectedLines {

  /** The suffix of rejected files. With `.json`, readers of hidden directories would read rejected rows as
    * rows of the sink.
    */
  val Suffix: String = ".rejected"

  private val columns: StructType =
    new StructType().add("reason", StringType).add("bucket", StringType).add("batch", LongType)

  private final val LongestReason = 2000

  private final val LongestText = 1000 * 1000

  // Includes nulls, because a repair of the row needs to know the missing values.
  private def encoder(zone: String): JsonEncoder = JsonEncoder(Map("ignoreNullFields" -> "false"), zone)

  /** A row that could not be written, and the known facts about the row.
    *
    * @param bucket the row's bucket, if known
    * @param batch  the micro-batch; none in a batch job
    */
  final case class RejectedRow(
      row: InternalRow,
      bucket: Option[String],
      batch: Option[Long],
      why: Throwable
  )
}
