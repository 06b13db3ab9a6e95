// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The builder that takes the options of Flink's `BucketingSink`, for those who move from there.
  */
package object bucketing
