// SPDX-License-Identifier: Apache-2.0
package stoplog

/** Calls of another system for each row of a Dataset, many of them in flight in one thread of a task. The package knows
  * Spark's Datasets, and of the core only its errors.
  */
package object async
