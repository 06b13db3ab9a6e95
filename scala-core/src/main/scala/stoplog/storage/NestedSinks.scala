// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import scala.collection.mutable

/** Finds the sinks in directories below a sink's path, during one walk. Their unfinished parts may have the same sink id and
  * the same kind of names, and the log of the outer sink names none of them.
  */
private[storage] final class NestedSinks {
  private val paths = mutable.Set.empty[String]

  /** Whether the walk enters a directory below the path: never the directory of a log. */
  def enters(directory: String): Boolean = {
    val above = FileStore.directoryOf(directory)
    val isLog = FileStore.nameOf(directory) == SinkDirectory.Root
    if (isLog && above.nonEmpty) paths += above
    !isLog
  }

  /** Whether a file belongs to one of these sinks. Called after the walk. */
  def own(path: String): Boolean = paths.nonEmpty && VisibleFiles.parents(path).exists(paths)
}
