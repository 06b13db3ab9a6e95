// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import scala.collection.mutable

/** Finds the sinks in directories below a sink's path, during one walk. Their unfinished parts may have the
  * same sink id and similar names, but the log of the outer sink contains none of these parts.
  */
private[storage] final class NestedSinks {
  private val paths = mutable.Set.empty[String]

  /** Whether the walk enters a directory below the path. Never enters the directory of a log. */
  def enters(directory: String): Boolean = {
    val above = FileStore.directoryOf(directory)
    val isLog = FileStore.nameOf(directory) == SinkDirectory.Root
    if (isLog && above.nonEmpty) paths += above
    !isLog
  }

  /** Whether a file belongs to a nested sink. Called after the walk. */
  def own(path: String): Boolean = paths.nonEmpty && VisibleFiles.parents(path).exists(paths)
}
