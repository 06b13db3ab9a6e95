// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

/** The names of files and directories that readers do not look at: Spark's file index leaves them out, and most
  * other readers leave out the same.
  */
private[stoplog] object HiddenNames {

  /** The end of the name of a file that Hadoop's shell has not copied as a whole yet. */
  val Copying: String = "._COPYING_"

  def isHidden(name: String): Boolean = beginsHidden(name) || name.endsWith(Copying)

  /** Whether it is by its beginning. A directory `_a=1` is one of a column, and not hidden. */
  def beginsHidden(name: String): Boolean =
    name.startsWith(".") || (name.startsWith("_") && !name.contains('='))

  /** Whether there is such a name in a path, so that readers do not come by what is there. */
  def areIn(path: String): Boolean = path.split('/').exists(isHidden)
}
