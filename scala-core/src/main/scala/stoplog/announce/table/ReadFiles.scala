// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.table

import java.io.FileNotFoundException

import scala.collection.immutable.VectorMap

/** The added files of a commit, as read from the storage.
  *
  * @param found  by path, in the order of the announcements
  * @param absent the paths of files that no longer exist
  * @tparam A the description of a file
  */
private[stoplog] final case class ReadFiles[A](found: VectorMap[String, A], absent: Set[String])

private[stoplog] object ReadFiles {

  /** Reads each added file once.
    *
    * @param read returns the description of the file with this path; throws `FileNotFoundException` if the
    *             file does not exist
    */
  def of[F, A](groups: Vector[FileGroup[F]])(read: String => A): ReadFiles[A] = {
    val paths = groups.flatMap(_.added).map(_.file.path)
    val found = paths
      .flatMap { path =>
        try Some(path -> read(path))
        catch { case _: FileNotFoundException => None }
      }
      .to(VectorMap)
    ReadFiles(found, paths.toSet -- found.keys)
  }
}
