// SPDX-License-Identifier: Apache-2.0
package stoplog.store

import stoplog.error.Errors
import stoplog.part.PathBelow

/** What a batch job needs of a storage beside parts and records: the sink's path as a whole. */
trait JobStore {

  /** The top-level files and directories under the path that readers see. */
  def visible(): Vector[String]

  /** Makes the place for what is to be set aside, before there is a record that says so. */
  def prepare(): Unit

  /** Takes one of them out of the readers' sight, into the job's own directory. Done already is done. */
  def setAside(entry: String): SetAside

  /** Whether [[setAside]] takes an entry but once, whoever calls it and when, and nothing of a job that is over: then
    * anybody may call it, also beside the job's own driver.
    */
  def setsAsideOnce: Boolean

  /** Removes the job's own directory with all that is in it. */
  def remove(): Unit

  /** Whether nobody has written in the job's own directory since then, in milliseconds since 1970-01-01T00:00:00Z. */
  def untouchedSince(millis: Long): Boolean
}

object JobStore {

  /** Whether readers see a file or directory of this name. */
  private[store] def isVisible(name: String): Boolean = !name.startsWith("_") && !name.startsWith(".")

  /** An entry that a record names: one of those that [[JobStore.visible]] may answer. Error: `STOPLOG_PATH_ELSEWHERE`. */
  private[store] def checked(root: String, entry: String): String = {
    val problem =
      PathBelow.problemOfName(entry).orElse(Option.when(!isVisible(entry))("readers do not see it"))
    problem.foreach(why => throw Errors.pathElsewhere(root, entry, why))
    entry
  }
}

/** The answer of [[JobStore.setAside]]. */
sealed trait SetAside
object SetAside {

  /** The entry is where it was put, or was gone before. */
  case object Done extends SetAside

  /** The place for it is gone: somebody has carried the job out. Nothing was touched. */
  case object JobIsOver extends SetAside
}
