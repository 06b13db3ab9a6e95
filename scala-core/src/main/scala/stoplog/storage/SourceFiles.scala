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

  /** The time and the identity of a directory; none if there is no such directory, or if the storage does not keep
    * such times, as object stores do not.
    */
  def state(directory: String): Option[DirectoryState] = None

  /** The same files, including those in directories that a filter of the query leaves out. */
  def unfiltered: SourceFiles = this

  /** Whether a filter of the query leaves out all files of a directory. */
  def leavesOut(directory: String): Boolean = false

  /** Whether programs can add to a file here. */
  def canAppend: Boolean = true

  /** The file with the number of its committed bytes, which the source asks for once for each file before it plans to read it: by
    * default all bytes of the file.
    */
  private[stoplog] def committed(file: SourceFile): SourceFile = file

  /** The file's bytes from an offset on. Asks the storage for nothing that [[SourceFile]] says.
    *
    * Errors: `FileNotFoundException` only if there is no such file; `STOPLOG_SOURCE_LINK`; any other exception, such as
    * those of [[OpenFailure.Refused]], means that the file may exist.
    */
  def open(file: SourceFile, from: Long): InputStream

  /** Deletes a file. Returns whether this call has removed it: a file that is absent is no error. Error:
    * `STOPLOG_SOURCE_LINK` where a link leads to the file.
    */
  def delete(path: String): Boolean

  /** Moves a file, and replaces no file: `TargetTaken` if another file has the new path. If a crash left the file under both
    * paths, the next call completes the move.
    *
    * Errors: `STOPLOG_SOURCE_LINK` if a link leads to the file; `IOException`.
    *
    * @param to absolute, on the same storage
    */
  def move(path: String, to: String): MoveOutcome

  /** Returns why no file can be moved into a directory, by a trial that leaves no file. Creates the directory.
    *
    * @param to as for [[move]]
    */
  def moveProblem(to: String): Option[String] = None

  /** Whether [[find]] costs no request over a network, so that readers may look at each file. */
  def looksAreLocal: Boolean = false

  /** The path as a user knows it. */
  def describe(path: String): String

  /** The file's name on the storage, which a file has too that is the root itself, and whose path is empty. */
  final def nameOf(file: SourceFile): String =
    FileStore.nameOf(if (file.path.isEmpty) describe("") else file.path)

  /** The path with its scheme and authority, as other readers of the storage want it. Error: `STOPLOG_SOURCE_LINK`. */
  def locate(path: String): URI
}

/** The entry of a listing for a file or directory.
  *
  * @param kind of the link's target, if it is a link
  * @param link its target; none for a path that has no link in it below what the source's paths name
  * @param id   of a directory, where the storage has such identities and the listing returns them without a request more
  * @param fileId of a file without a link
  */
final case class Found(
    name: String,
    kind: Found.Kind,
    link: Option[Link] = None,
    id: Option[DirectoryId] = None,
    fileId: FileId = FileId.Unknown
) {

  /** The file at a path; none for a directory. */
  def file(path: String): Option[SourceFile] = kind match {
    case Found.File(bytes, modified) => Some(SourceFile(path, bytes, modified, id = fileId))
    case Found.Directory             => None
  }
}

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
  * @param id     tells it from a later file of the same path
  * @param ending of these bytes, where a reader has to know it
  */
final case class SourceFile(
    path: String,
    bytes: Long,
    modifiedMillis: Long,
    storedBytes: Option[Long] = None,
    id: FileId = FileId.Unknown,
    ending: Ending = Ending.Unknown
) {

  /** Whether both describe one state of one file, whether or not its ending is known. */
  def isSame(other: SourceFile): Boolean = copy(ending = other.ending) == other

  /** Whether a file that was found has the length and the time that `before` had, and is not known to be another. */
  def isStill(before: SourceFile): Boolean =
    Found.File(bytes, modifiedMillis).isStill(before) && !id.isOther(before.id)
}

/** The identity of a directory: a directory that is removed and created again, or a mount point whose disk is away, has
  * another one.
  *
  * @param file   the inode or file id, the same in each process and on each machine
  * @param device the file system's number, where there is one. It is comparable within one process only: the next mount,
  *               or another NFS client, may number file systems differently
  */
final case class DirectoryId(file: Long, device: Option[Long])

/** @param changedMillis the time of the last addition, removal or rename in the directory
  * @param id            where the storage has identities of directories
  */
final case class DirectoryState(changedMillis: Long, id: Option[DirectoryId])
