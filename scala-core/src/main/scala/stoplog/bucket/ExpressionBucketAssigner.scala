// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

/** Buckets by the value of a SQL expression, which is the bucket's path; null is [[BucketId.OfNull]].
  *
  * {{{
  * new ExpressionBucketAssigner(BucketExpression.bind(spark, "concat('day=', date(at))", df.schema))
  * }}}
  */
final class ExpressionBucketAssigner(expression: BucketExpression) extends BucketAssigner {

  @transient private var projection: UnsafeProjection = _
  @transient private var latest: UTF8String           = _
  @transient private var latestId: String             = _

  override def open(schema: StructType): Unit = projection = expression.projection()

  // The value of one row is mostly that of the row before: it is compared as bytes, and no String is made.
  override def bucket(row: InternalRow, context: BucketContext): String = {
    val result = projection(row)
    if (result.isNullAt(0)) BucketId.OfNull
    else {
      val value = result.getUTF8String(0)
      if (latest == null || !latest.equals(value)) {
        latest = value.clone()
        latestId = value.toString
      }
      latestId
    }
  }

  override def toString: String = s"expression($expression)"
}
