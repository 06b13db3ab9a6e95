// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.util.UUID

/** The names of files and directories that readers skip. Spark's file index skips these names, and most other
  * readers skip the same names.
  */
private[stoplog] object HiddenNames {

  /** The suffix of a file that Hadoop's shell is still copying. */
  val Copying: String = "._COPYING_"

  def isHidden(name: String): Boolean = beginsHidden(name) || name.endsWith(Copying)

  /** Whether the start of the name hides the file. The partition directory `_a=1` is not hidden. */
  def beginsHidden(name: String): Boolean =
    name.startsWith(".") || (name.startsWith("_") && !name.contains('='))

  /** Returns a new hidden name for a trial that leaves no file. */
  def trial(): String = s".stoplog-trial-${UUID.randomUUID()}"

  /** Whether any name in a path is hidden, so that readers do not find the file. */
  def areIn(path: String): Boolean = path.split('/').exists(isHidden)
}
