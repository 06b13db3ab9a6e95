// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import stoplog.error.Errors
import stoplog.util.ColumnNames

/** Assigns buckets by the value of a column of strings, which is the path; null maps to [[BucketId.OfNull]].
  */
private[stoplog] final class ColumnBucketAssigner private (name: String, ordinal: Int)
    extends BucketAssigner {

  @transient private var strings: RepeatedString = _

  override def open(schema: StructType): Unit = strings = new RepeatedString

  override def bucket(row: InternalRow, context: BucketContext): String =
    if (row.isNullAt(ordinal)) BucketId.OfNull else strings.of(row.getUTF8String(ordinal))

  override def toString: String = s"column($name)"
}

private[stoplog] object ColumnBucketAssigner {

  /** Resolves the column of `bucketFrom`.
    *
    * @param name as written by the user; case matters only if names in the schema differ in case only
    * @throws stoplog.error.StoplogArgumentException `STOPLOG_INVALID_OPTIONS` if the rows do not have the
    *   column, if the column is not of strings, or if no column remains for the files
    */
  def bind(schema: StructType, name: String): ColumnBucketAssigner =
    new ColumnBucketAssigner(name, ordinal(schema, name))

  /** Returns the index of the column. Errors: as for [[bind]]. */
  def ordinal(schema: StructType, name: String): Int = {
    def refused(why: String) = throw Errors.invalidOptions(Seq(s"bucketFrom = '$name': $why."))
    val found                = ColumnNames.find(schema.fieldNames, name) match {
      case Right(at)                                 => at
      case Left(why) if name.startsWith(OfFunctions) => refused(s"$why$Call")
      case Left(why)                                 => refused(why)
    }
    schema(found).dataType match {
      case _: StringType => ()
      case other         => refused(s"the column is of type ${other.simpleString}; cast it to a string")
    }
    if (schema.size == 1) refused("it is the only column, so no column remains for the files")
    found
  }

  private final val OfFunctions = "_python_"
  private final val Call        = "; in Python, call write_stream(df) or write(df) of the sink, which add it"
}

/** Converts values of a column to strings. Consecutive rows usually have the same value: an equal value is
  * compared as bytes and creates no string.
  */
private[bucket] final class RepeatedString {
  private[this] var latest: UTF8String = _
  private[this] var text: String       = _

  def of(value: UTF8String): String = {
    if (latest == null || !latest.equals(value)) {
      latest = value.copy()
      text = value.toString
    }
    text
  }
}
