// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.staging

/** The message of a task to the driver.
  *
  * @param attempt the attempt under which the rows are staged
  * @param rows    the number of rows in the target, or staged for the target
  * @param rejects the number of rows in the reject table, or staged for the reject table
  * @param retries the number of retries
  */
private[jdbc] final case class TaskOutcome(attempt: String, rows: Long, rejects: Long, retries: Long)
