// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.nio.charset.StandardCharsets.UTF_8
import java.time.ZoneId

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference, Expression, GenericInternalRow, UnsafeProjection, UnsafeRow
}
import org.apache.spark.sql.execution.datasources.PartitioningUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import stoplog.error.Errors

/** The values in the names of directories `column=value`, as readers derive the values from the names. */
private[stoplog] object DirectoryValue {

  /** @param text the escaped text after `column=`
    * @param zone of timestamps
    */
  def of(text: String, dataType: DataType, zone: ZoneId): Any =
    if (text == ExternalCatalogUtils.DEFAULT_PARTITION_NAME) null
    else {
      val unescaped = ExternalCatalogUtils.unescapePathName(text)
      dataType match {
        case _: StringType   => UTF8String.fromString(unescaped) // Spark's own cast would unescape twice
        case BinaryType      => unescaped.getBytes(UTF_8)        // Spark's own cast uses the locale's charset
        case ByteType        => unescaped.toByte
        case ShortType       => unescaped.toShort
        case of: DecimalType =>
          val exact   = new java.math.BigDecimal(unescaped)
          val decimal = Decimal(exact)
          if (
            decimal.changePrecision(of.precision, of.scale) && decimal.toJavaBigDecimal.compareTo(exact) == 0
          )
            decimal
          else throw new ArithmeticException(s"$unescaped is no ${of.sql}")
        case other =>
          val value = PartitioningUtils.castPartValueToDesiredType(other, unescaped, zone)
          // Without ANSI mode, Spark casts a text of another type to NULL.
          if (value == null) throw new IllegalArgumentException(s"$unescaped is no ${other.sql}")
          value
      }
    }
}

/** Compares the values of partition columns with the values that readers derive from the directories. The
  * columns are in no file, so that another value would replace the value of the row.
  */
private[bucket] final class DirectoryValues(columns: PartitionColumns, zone: ZoneId) {
  private val types = columns.ordinals.map(columns.schema(_).dataType)
  private val read  = UnsafeProjection.create(types.zipWithIndex.map[Expression] { case (of, i) =>
    BoundReference(i, of, true)
  })

  /** Error: `STOPLOG_BUCKET_ID` if a reader would derive another value.
    *
    * @param id     the bucket
    * @param values the values of the partition columns, in Spark's binary form
    */
  def refuseOthers(id: String, values: UnsafeRow): Unit = {
    val texts = id.split("/", -1).map(level => level.drop(level.indexOf('=') + 1))
    val found = types.indices.map(i => valueOf(texts(i), i))
    if (!read(new GenericInternalRow(found.toArray[Any])).equals(values))
      throw Errors.bucketId(id, s"readers read its name as another value of ${other(found, values)}")
  }

  private def valueOf(text: String, ordinal: Int): Any =
    types(ordinal) match {
      // Spark reads binary values without the removal of escapes, other engines with it.
      case BinaryType if ExternalCatalogUtils.unescapePathName(text) != text => null
      case of                                                                =>
        try DirectoryValue.of(text, of, zone)
        catch { case NonFatal(_) => null }
    }

  private def other(found: Seq[Any], values: InternalRow): String = {
    def named(ordinals: Iterable[Int]) = ordinals.map(columns.names(_)).mkString(" or ")
    val differ                         = types.indices.filter(i => (found(i) == null) != values.isNullAt(i))
    named(if (differ.nonEmpty) differ else types.indices)
  }
}
