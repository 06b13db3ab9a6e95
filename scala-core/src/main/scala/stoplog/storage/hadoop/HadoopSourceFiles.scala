// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import java.io.{IOException, InputStream}
import java.net.URI

import org.apache.hadoop.fs._
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus
import org.apache.hadoop.util.functional.FutureIO

import stoplog.storage.{
  DirectoryId, DirectoryState, FileId, Found, HiddenNames, Link, MoveOutcome, SourceFile, SourceFiles
}

/** Files of any Hadoop file system.
  *
  * @param versions how a file system opens a listed object, and no later object of its path
  * @param named    the paths of the user, relative to the root
  */
private[stoplog] final class HadoopSourceFiles(
    files: HadoopFiles,
    versions: ListedVersions = ListedVersions.Unsupported,
    named: Vector[String] = Vector("")
) extends SourceFiles {

  override def list(directory: String)(each: Found => Unit): Unit =
    files.listed(files.at(directory))(status => each(found(status)))

  override def find(path: String): Option[Found] = files.status(files.at(path)).map(found)

  /** Only HDFS is known to keep the times of directories. */
  override def state(directory: String): Option[DirectoryState] =
    if (!files.isHdfs) None
    else
      files
        .status(files.at(directory))
        .filter(_.isDirectory)
        .map(status => DirectoryState(status.getModificationTime, id(status)))

  override def canAppend: Boolean =
    files.fileSystem.hasPathCapability(files.at(""), CommonPathCapabilities.FS_APPEND)

  /** Passes the length to object stores, which would otherwise request the length before the first byte. */
  override def open(file: SourceFile, from: Long): InputStream = {
    val path = files.at(file.path)
    val in   = files.opening(path)(started(path, file))
    try {
      if (from > 0) in.seek(from)
      in
    } catch {
      case e: Throwable =>
        in.close()
        throw e
    }
  }

  private def started(path: Path, file: SourceFile): FSDataInputStream = {
    val opening = files.fileSystem.openFile(path)
    versions.status(files.fileSystem, path, file).foreach(status => opening.withFileStatus(status): Unit)
    FutureIO.awaitFuture(
      opening
        .opt(Options.OpenFileOptions.FS_OPTION_OPENFILE_LENGTH, file.bytes.toString)
        .opt(
          Options.OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY,
          Options.OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_SEQUENTIAL
        )
        .build()
    )
  }

  override def delete(path: String): Boolean = files.writing(files.at(path))(files.remove(files.at(path)))

  override def move(path: String, to: String): MoveOutcome = {
    val target = elsewhere(to)
    // The file would be taken for a copy of itself.
    if (target == files.at(path)) throw new FileAlreadyExistsException(target.toString)
    files.renameInto(files.at(path), target) match {
      case HadoopFiles.Renamed.Done       => MoveOutcome.Moved
      case HadoopFiles.Renamed.SourceGone => MoveOutcome.SourceGone
      // An object store copies and then deletes: a crash happened in between.
      case HadoopFiles.Renamed.TargetThere if !canAppend && HadoopFiles.same(files, files.at(path), target) =>
        delete(path)
        MoveOutcome.Moved
      case HadoopFiles.Renamed.TargetThere => MoveOutcome.TargetTaken
      case HadoopFiles.Renamed.NoDirectory =>
        throw new IOException(s"it could not be renamed to $target")
    }
  }

  /** Renames a trial file from the input: renames cannot cross encryption zones, mounts or clusters. */
  override def moveProblem(to: String): Option[String] =
    try {
      val archived = new Path(elsewhere(to), HiddenNames.trial())
      val trial    = input.fold(archived)(new Path(_, archived.getName))
      files.create(trial).close()
      try
        if (trial == archived) None
        else
          files.renameInto(trial, archived) match {
            case HadoopFiles.Renamed.Done => None
            case _                        => Some(s"$trial could not be renamed to $archived")
          }
      finally Seq(trial, archived).distinct.foreach(files.delete)
    } catch { case e: IOException => Some(HadoopFiles.reason(e)) }

  /** A directory of the input; `None` if no path of the user exists yet. */
  private def input: Option[Path] = named.iterator
    .map(files.at)
    .flatMap(path => files.status(path).map(found => if (found.isDirectory) path else path.getParent))
    .nextOption()

  private def elsewhere(to: String): Path = {
    val uri = files.at("").toUri
    new Path(uri.getScheme, uri.getAuthority, to)
  }

  override def describe(path: String): String = files.at(path).toString

  override def locate(path: String): URI = files.fileSystem.makeQualified(files.at(path)).toUri

  /** Hadoop's own links are not followed: the target may be in another file system, or unknown. */
  private def found(status: FileStatus): Found = {
    val name = status.getPath.getName
    if (status.isSymlink)
      Found(name, Found.File(0, 0), Some(Link.Refused(s"it points to ${status.getSymlink}")))
    else if (status.isDirectory) Found(name, Found.Directory, None, id(status))
    else
      Found(
        name,
        Found.File(status.getLen, status.getModificationTime),
        fileId = FileId.of(() => number(status).getOrElse(0)),
        tag = tag(status)
      )
  }

  /** Listings of S3A and ABFS contain the ETags of objects. */
  private def tag(status: FileStatus): Option[String] = status match {
    case tagged: EtagSource => Option(tagged.getEtag).filter(_.nonEmpty)
    case _                  => None
  }

  private def id(status: FileStatus): Option[DirectoryId] = number(status).map(DirectoryId(_, None))

  /** On HDFS the entries of a listing contain the file id. */
  private def number(status: FileStatus): Option[Long] = status match {
    case hdfs: HdfsFileStatus if hdfs.getFileId > 0 => Some(hdfs.getFileId)
    case _                                          => None
  }
}

/** Opens an object in the version of a listing. */
private[stoplog] trait ListedVersions extends Serializable {

  /** Returns the status by which a file system opens this version. `None` if the version is unknown. */
  def status(system: FileSystem, path: Path, file: SourceFile): Option[FileStatus]
}

private[stoplog] object ListedVersions {

  /** Opens any version. */
  case object Unsupported extends ListedVersions {
    override def status(system: FileSystem, path: Path, file: SourceFile): Option[FileStatus] = None
  }
}
