// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The writing of parts in a task: rows become bytes of a part, until the rolling policy closes the part.
  *
  * [[writing.TaskWriter]] writes the rows of a task to the parts of its [[plan.TaskPlan]], with one
  * [[writing.OpenPartWriter]] for each part. A format implements [[writing.PartFormat]]. The package uses the
  * traits of a storage, and knows neither the log nor the driver.
  */
package object writing
