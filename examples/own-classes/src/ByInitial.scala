// SPDX-License-Identifier: Apache-2.0
package own

import java.util.{Map => JMap}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.bucket.{BucketAssigner, BucketContext}

/** A bucket for each first letter of a column: `bucketAssigner.column`. */
final class ByInitial(parameters: JMap[String, String]) extends BucketAssigner {
  private val column = parameters.get("column")
  require(column != null, "bucketAssigner.column is not set")

  private var ordinal = 0

  /** On the driver before the query begins, and then in each task. */
  override def open(schema: StructType): Unit = ordinal = schema.fieldIndex(column)

  override def bucket(row: InternalRow, context: BucketContext): String =
    "initial=" + row.getString(ordinal).take(1).toLowerCase
}
