// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.table

import stoplog.announce.PositionedTarget

/** A target whose table can be compared with the log and the files of a sink. */
private[stoplog] trait ComparedTable extends PositionedTarget {

  /** Returns the newest version of the table; `None` if the table does not exist. Changes nothing.
    *
    * @param path the path of the sink
    */
  def content(path: String): Option[TableContent]
}

/** The files of a table. All paths are relative to the path of the sink.
  *
  * @param files           a file may occur twice
  * @param elsewhere       the number of files outside of the path
  * @param removed         the files that commits of the sink have removed
  * @param removedByOthers the other removed files, each with the description of the commit
  * @param sinceMillis     the time of the oldest commit in the retained history; `None` if the history is
  *                        complete
  * @param isListed        whether the table has received a snapshot announcement
  */
private[stoplog] final class TableContent(
    val files: Vector[String],
    val elsewhere: Int,
    val removed: Set[String],
    val removedByOthers: Map[String, String],
    val sinceMillis: Option[Long],
    val isListed: Boolean
)
