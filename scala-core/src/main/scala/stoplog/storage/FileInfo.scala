// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

/** A file or directory as a listing tells of it.
  *
  * @param path           relative to the store's root
  * @param kind           of what a link leads to, if it is one
  * @param modifiedMillis of a directory: when a name in it was last added, removed or changed; `None` where the storage keeps
  *                       no such times
  * @param link           where it leads; `None` for a path that has no link in it below what the user named
  */
final case class FileInfo(
    path: String,
    kind: FileInfo.Kind,
    modifiedMillis: Option[Long],
    link: Option[Link] = None
) {
  def name: String = path.substring(path.lastIndexOf('/') + 1)

  def isFile: Boolean = kind.isInstanceOf[FileInfo.File]

  def isDirectory: Boolean = kind == FileInfo.Directory

  /** 0 for a directory. */
  def bytes: Long = kind match {
    case FileInfo.File(bytes) => bytes
    case FileInfo.Directory   => 0
  }
}

object FileInfo {
  sealed trait Kind
  case object Directory              extends Kind
  final case class File(bytes: Long) extends Kind
}

/** The target of a symbolic link. The user who may put names into a directory may put links there. */
sealed trait Link
object Link {

  /** To a path below the root, which has no link in it. */
  final case class Below(path: String) extends Link

  /** To a place where nothing is read.
    *
    * @param why a clause of which the link is the subject
    */
  final case class Refused(why: String) extends Link
}
