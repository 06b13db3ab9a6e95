// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.io.InputStream
import java.net.URI

/** The files under one root of a storage, by paths relative to the root. Serialized to the executors. */
trait SourceFiles extends Serializable {

  /** Passes each file and directory in a directory to `each`, in any order. Passes nothing if the directory
    * does not exist or is not a directory.
    */
  def list(directory: String)(each: Found => Unit): Unit

  /** Returns the file or directory at a path. */
  def find(path: String): Option[Found]

  /** Returns the time and the identity of a directory. `None` if the directory does not exist, or if the
    * storage does not keep such times, for example an object store.
    */
  def state(directory: String): Option[DirectoryState] = None

  /** Returns the same files, including files in directories excluded by a filter of the query. */
  def unfiltered: SourceFiles = this

  /** Whether a filter of the query excludes all files of a directory. */
  def leavesOut(directory: String): Boolean = false

  /** Whether programs can append to files on this storage. */
  def canAppend: Boolean = true

  /** Returns the file with the number of its committed bytes. Called once for each file, before the source
    * plans to read the file. By default, all bytes of the file are committed.
    */
  private[stoplog] def committed(file: SourceFile): SourceFile = file

  /** Opens a file at an offset. Sends no request for data that [[SourceFile]] contains.
    *
    * Errors: `FileNotFoundException` only if the file does not exist; `STOPLOG_SOURCE_LINK`; any other
    * exception, such as those of [[OpenFailure.Refused]], means that the file may exist.
    */
  def open(file: SourceFile, from: Long): InputStream

  /** Deletes a file. Returns whether this call has removed the file. An absent file is not an error. Error:
    * `STOPLOG_SOURCE_LINK` if a link leads to the file.
    */
  def delete(path: String): Boolean

  /** Moves a file and never replaces a file: `TargetTaken` if another file has the new path. If a crash left
    * the file under both paths, the next call completes the move.
    *
    * Errors: `STOPLOG_SOURCE_LINK` if a link leads to the file; `IOException`.
    *
    * @param to absolute, on the same storage
    */
  def move(path: String, to: String): MoveOutcome

  /** Returns why no file can be moved into a directory, by a trial that leaves no file. Creates the
    * directory.
    *
    * @param to as for [[move]]
    */
  def moveProblem(to: String): Option[String] = None

  /** Whether [[find]] needs no request over a network. */
  def looksAreLocal: Boolean = false

  /** The user-visible path. */
  def describe(path: String): String

  /** The file's name on the storage. Also defined if the file is the root itself and has an empty path. */
  final def nameOf(file: SourceFile): String =
    FileStore.nameOf(if (file.path.isEmpty) describe("") else file.path)

  /** Returns the path with scheme and authority, for other readers of the storage. Error:
    * `STOPLOG_SOURCE_LINK`.
    */
  def locate(path: String): URI
}

/** The entry of a listing for a file or directory.
  *
  * @param kind the kind of the link's target, if the entry is a link
  * @param link the target; `None` for a path without a link below the source's paths
  * @param id   of a directory, if the storage has such identities and the listing returns them without
  *   another request
  * @param fileId of a file without a link
  * @param tag    the ETag of an object, as the store spells it
  */
final case class Found(
    name: String,
    kind: Found.Kind,
    link: Option[Link] = None,
    id: Option[DirectoryId] = None,
    fileId: FileId = FileId.Unknown,
    tag: Option[String] = None
) {

  /** Returns the file at a path; `None` for a directory. */
  def file(path: String): Option[SourceFile] = kind match {
    case Found.File(bytes, modified) => Some(SourceFile(path, bytes, modified, id = fileId, tag = tag))
    case Found.Directory             => None
  }
}

object Found {
  sealed trait Kind
  case object Directory                                    extends Kind
  final case class File(bytes: Long, modifiedMillis: Long) extends Kind {

    /** Whether the file has not changed. Object stores report milliseconds in listings, and whole seconds for
      * a single object.
      */
    def isStill(file: SourceFile): Boolean =
      bytes == file.storedBytes.getOrElse(file.bytes) &&
        (modifiedMillis == file.modifiedMillis || modifiedMillis == file.modifiedMillis / 1000 * 1000)
  }
}

/** A file at the time of a listing.
  *
  * @param path relative to the source's root, with `/` between the names; empty if the file is the root
  *   itself. See [[SourceFiles.nameOf]]
  * @param bytes the number of valid bytes
  * @param storedBytes the length of the file, if a valid-length file declares fewer bytes as valid
  * @param id     distinguishes the file from a later file of the same path
  * @param ending of these bytes, if a reader needs the ending
  * @param tag    distinguishes the contents of an object from other contents of the same length and time. Two
  *   objects with the same bytes have the same tag
  * @param zone   the time zone of timestamps without a zone, set when the source plans to read the file;
  *   `None` if no value depends on a time zone
  */
final case class SourceFile(
    path: String,
    bytes: Long,
    modifiedMillis: Long,
    storedBytes: Option[Long] = None,
    id: FileId = FileId.Unknown,
    ending: Ending = Ending.Unknown,
    tag: Option[String] = None,
    zone: Option[String] = None
) {

  /** Whether both describe one state of one file, regardless of the ending and the time zone. */
  def isSame(other: SourceFile): Boolean = copy(ending = other.ending, zone = other.zone) == other

  /** Whether a found file has the length and the time of `before`, and is not known to be another file. */
  def isStill(before: SourceFile): Boolean =
    Found.File(bytes, modifiedMillis).isStill(before) && !id.isOther(before.id) && !hasOtherTag(before)

  /** Whether both tags are known and differ. Some stores quote a tag in one kind of response only. */
  private def hasOtherTag(than: SourceFile): Boolean =
    tag.zip(than.tag).exists { case (a, b) => a.replace("\"", "") != b.replace("\"", "") }
}

/** The identity of a directory. If a directory is removed and created again, or the disk of a mount point is
  * absent, the directory has another identity.
  *
  * @param file   the inode or file id, the same in each process and on each machine
  * @param device the file system's number, if any. Comparable only within one process: the next mount, or
  *   another NFS client, may number file systems differently
  */
final case class DirectoryId(file: Long, device: Option[Long])

/** @param changedMillis the time of the last addition, removal or rename in the directory
  * @param id            if the storage has identities of directories
  */
final case class DirectoryState(changedMillis: Long, id: Option[DirectoryId])
