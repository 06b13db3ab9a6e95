// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.io.InputStream
import java.net.URI

/** The files under one root of a storage, by their paths relative to it. Goes to the executors. */
trait SourceFiles extends Serializable {

  /** Passes each file and directory in a directory to `each`, in any order; none when it is not there, or is no
    * directory.
    */
  def list(directory: String)(each: Found => Unit): Unit

  /** The file or directory at a path. */
  def find(path: String): Option[Found]

  /** The time of the last addition, removal or rename in a directory; none if there is no such directory, or if the
    * storage does not keep such times, as object stores do not.
    */
  def changedMillis(directory: String): Option[Long] = None

  /** Whether programs can add to a file here. */
  def canAppend: Boolean = true

  /** The file with the number of its committed bytes, which the source asks for once for each file before it plans to read it: by
    * default all bytes of the file.
    */
  private[stoplog] def committed(file: SourceFile): SourceFile = file

  /** The file's bytes from an offset on. Asks the storage for nothing that [[SourceFile]] says.
    *
    * Errors: `FileNotFoundException`, `STOPLOG_SOURCE_LINK`.
    */
  def open(file: SourceFile, from: Long): InputStream

  /** Deletes a file. A file that is gone already is no error. Error: `STOPLOG_SOURCE_LINK` where a link leads to the
    * file.
    */
  def delete(path: String): Unit

  /** Gives a file another path, and replaces no file there. Error: `STOPLOG_SOURCE_LINK` where a link leads to it.
    *
    * @param to absolute, on the same storage
    */
  def move(path: String, to: String): Unit

  /** The path as a user knows it. */
  def describe(path: String): String

  /** The file's name on the storage, which a file has too that is the root itself, and whose path is empty. */
  final def nameOf(file: SourceFile): String = {
    val path = if (file.path.isEmpty) describe("") else file.path
    path.substring(path.lastIndexOf('/') + 1)
  }

  /** The path with its scheme and authority, as other readers of the storage want it. Error: `STOPLOG_SOURCE_LINK`. */
  def locate(path: String): URI
}

/** The entry of a listing for a file or directory.
  *
  * @param kind of the link's target, if it is a link
  * @param link its target; none for a path that has no link in it below what the source's paths name
  */
final case class Found(name: String, kind: Found.Kind, link: Option[Link] = None)

object Found {
  sealed trait Kind
  case object Directory                                    extends Kind
  final case class File(bytes: Long, modifiedMillis: Long) extends Kind {

    /** Whether it is the same file as before. Object stores tell milliseconds in listings, and of a single object whole
      * seconds.
      */
    def isStill(file: SourceFile): Boolean =
      bytes == file.storedBytes.getOrElse(file.bytes) &&
        (modifiedMillis == file.modifiedMillis || modifiedMillis == file.modifiedMillis / 1000 * 1000)
  }
}

/** A file as it was when it was found.
  *
  * @param path relative to the source's root, with `/` between the names; empty if the file is the root itself. See
  *             [[SourceFiles.nameOf]]
  * @param bytes that count
  * @param storedBytes the length of a file of which fewer bytes count: a valid-length file says so
  */
final case class SourceFile(path: String, bytes: Long, modifiedMillis: Long, storedBytes: Option[Long] = None)
