// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.collection.mutable.ArrayBuffer

/** Names made or taken away in directories that nobody has forced to the disk since.
  *
  * Only a world in which the power can take names keeps account of them.
  */
final class Names(takes: PowerTakes) {
  private val unforced = ArrayBuffer.empty[Names.Change]

  /** @param undo what a power loss does to it; may be called when others have been made since */
  def changed(directory: String)(undo: => Unit): Unit = takes match {
    case PowerTakes.Names => unforced += new Names.Change(directory, () => undo)
    case PowerTakes.Bytes => ()
  }

  def force(directory: String): Unit = unforced.filterInPlace(_.directory != directory)

  /** The newest first: each is there, or not. */
  def losePower(isKept: () => Boolean): Unit = {
    val changes = unforced.toVector.reverse
    unforced.clear()
    changes.filterNot(_ => isKept()).foreach(_.undo())
  }
}

object Names {
  private final class Change(val directory: String, val undo: () => Unit)

  /** Where unfinished parts are, where records are with their marks, and where replaced parts are. */
  val Open: String     = "open"
  val Log: String      = "log"
  val Replaced: String = "replaced"

  def directoryOf(path: String): String = path.take(path.lastIndexOf('/').max(0))
}
