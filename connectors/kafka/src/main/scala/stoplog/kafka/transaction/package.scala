// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

/** Transactions started by one process and committed by another, as the two phases of [[stoplog.sink]]. The
  * package does not depend on Spark.
  */
package object transaction
