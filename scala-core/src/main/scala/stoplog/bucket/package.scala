// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The directories below a sink's path: which bucket a row goes to, the names that readers see, and when a bucket ends.
  *
  * Users implement [[BucketAssigner]], [[TimedBuckets]] and [[BucketListener]]. The package knows Spark's rows and the times that the
  * protocol keeps of them; it knows no option and no file.
  */
package object bucket
