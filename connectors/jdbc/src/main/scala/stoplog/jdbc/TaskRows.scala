// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

/** The rows of one task on their way into the database. Not for several threads. */
private[jdbc] trait TaskRows extends AutoCloseable {
  def write(row: JdbcRow): Unit

  /** A row that is known to be bad before the database has seen it. */
  def reject(row: JdbcRow, why: Throwable): Unit

  /** Returns when the database has all of them. */
  def finish(): TaskResult

  /** Deletes nothing (I5). */
  override def close(): Unit
}

/** What a task tells the driver.
  *
  * @param attempt under which its rows are staged
  * @param rows    in the target, or staged for it
  * @param rejects rows in the reject table, or staged for it
  * @param retries how often something was tried again
  */
private[jdbc] final case class TaskResult(attempt: String, rows: Long, rejects: Long, retries: Long)
