// SPDX-License-Identifier: Apache-2.0
package stoplog.part

/** Paths as records have them: of files below the sink's path, names with `/` between them.
  *
  * A user who may write into a log must not get a file read, renamed, cut or deleted that lies elsewhere. So each path
  * is looked at when its record is read, and again when a store goes there. Symbolic links on the way are the user's.
  */
object PathBelow {

  /** Why the path may lead elsewhere, if it may. The empty one is the sink's path itself. */
  def problem(path: String): Option[String] =
    if (path.startsWith("/")) Some("it is absolute")
    else if (path.contains('\u0000')) Some("there is a NUL in it")
    else Option.when(path.split('/').contains(".."))("there is a '..' in it")

  /** The same of one name in a directory. */
  def problemOfName(name: String): Option[String] =
    if (name.isEmpty || name == ".") Some("it is no name")
    else if (name.contains('/')) Some("there is a '/' in it")
    else problem(name)
}
