// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The directories below a sink's path: the bucket of each row, the names visible to readers, and the end of
  * a bucket.
  *
  * Users implement [[BucketAssigner]] and [[TimedBuckets]]. The package depends on
  * Spark's rows and on the protocol's times of rows, but not on options or files.
  */
package object bucket
