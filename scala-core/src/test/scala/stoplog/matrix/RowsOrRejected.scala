// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.plan.TaskResult
import stoplog.writing.{BadRow, TaskWriter}

/** One attempt of a task. Rows that cannot be written go into parts of their own, which the same record publishes.
  *
  * @param newAside makes the writer of these, which most tasks do not need
  */
final class RowsOrRejected(rows: TaskWriter[String], newAside: () => TaskWriter[String]) {
  private var aside = Option.empty[TaskWriter[String]]
  private var count = 0L

  def write(bucket: String, row: String): Unit =
    try rows.write(bucket, row)
    catch { case _: BadRow => putAside(bucket, row) }

  def commit(): TaskResult = {
    val result = rows.commit()
    aside.fold(result)(writer => result.withRejected(writer.commit(), count))
  }

  def close(): Unit = {
    rows.close()
    aside.foreach(_.close())
  }

  private def putAside(bucket: String, row: String): Unit = {
    val opened = aside.getOrElse(newAside())
    aside = Some(opened)
    opened.write(Seq(RowsOrRejected.Directory, bucket).filter(_.nonEmpty).mkString("/"), row)
    count += 1
  }
}

object RowsOrRejected {

  /** Readers of the data pass over it. */
  val Directory: String = "_aside"
}
