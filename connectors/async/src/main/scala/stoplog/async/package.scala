// SPDX-License-Identifier: Apache-2.0
package stoplog

/** Calls to another system for each row of a Dataset, with many calls in flight in a single thread of a task.
  * The package depends on Spark's Datasets and, in the core, only on the errors.
  */
package object async
