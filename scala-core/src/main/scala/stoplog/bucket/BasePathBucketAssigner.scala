// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import org.apache.spark.sql.catalyst.InternalRow

/** Puts every row into the sink's path itself: no buckets. */
final class BasePathBucketAssigner extends BucketAssigner {
  override def bucket(row: InternalRow, context: BucketContext): String = BucketId.Base
}
