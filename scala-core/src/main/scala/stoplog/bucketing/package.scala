// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The interfaces of Flink's `BucketingSink`: bucketers and writers, for migration from Flink. */
package object bucketing
