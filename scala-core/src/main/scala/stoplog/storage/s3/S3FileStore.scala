// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, EOFException, FileNotFoundException}
import java.io.{IOException, InputStream, OutputStream}
import java.nio.file.AccessDeniedException

import stoplog.error.{Causes, StoplogException}
import stoplog.storage._
import stoplog.storage.hadoop.{HadoopFileStore, HadoopFiles}

/** Stores files as objects on S3. Each object is complete or does not exist, and is created by one
  * conditional PUT (I6).
  *
  * A move copies the bytes through this process. S3A would let the server copy, but leaves an empty object in
  * place of a directory without files. Readers without Hadoop treat such an empty object as data.
  *
  * @param recent the files that this process has written by [[create]], and need not read again
  */
private[stoplog] final class S3FileStore(files: HadoopFiles, recent: RecentWrites = RecentWrites.None)
    extends HadoopFileStore(files, None) {
  @transient private lazy val objects = new S3Objects(files)

  override def capabilities: FileCapabilities =
    FileCapabilities(Moves.ByCopy, directories = false)

  override def walk(directory: String)(enter: String => Boolean): Vector[FileInfo] = io(directory) {
    objects.list(directory).collect {
      case (path, file) if parents(path.drop(directory.length).stripPrefix("/"), directory).forall(enter) =>
        info(file)
    }
  }

  override def exists(path: String): Boolean = io(path)(objects.exists(path))

  override def read(path: String): Option[Array[Byte]] = io(path)(objects.read(path))

  override def create(path: String)(content: OutputStream => Unit): Unit = io(path) {
    recent.keeping(describe(path))(copied => objects.put(path)(out => content(copied(out))))
  }

  /** Reads a small file in one request. A stream would request the length first, and then the bytes. */
  override def openWhole(path: String, bytes: Long): InputStream =
    if (bytes == 0 || bytes > RecentWrites.LargestBytes)
      super.openWhole(path, bytes) // an empty file needs no request
    else {
      val all = recent.firstBytes(describe(path), bytes.toInt)(stored(path, bytes))
      new ByteArrayInputStream(all.getOrElse(throw new FileNotFoundException(describe(path))))
    }

  private def stored(path: String, bytes: Long): Option[Array[Byte]] = io(path) {
    try Right(objects.read(path, bytes))
    catch { case short: EOFException => Left(short) }
  }.fold(throw _, identity)

  /** If a response is lost, the SDK repeats the request, and the server reports the object of the first
    * attempt as existing. The outcome is then `Taken`.
    */
  override def createIfAbsent(path: String)(content: OutputStream => Unit): PutOutcome = {
    val bytes = new ByteArrayOutputStream()
    content(bytes)
    io(path)(put(path, bytes.toByteArray))
  }

  override def mark(path: String): PutOutcome = io(path)(put(path, Array.emptyByteArray))

  /** Each object is complete or does not exist, so the move can be repeated from any point. */
  override def move(from: String, to: String): MoveOutcome = io(from) {
    files.at(to) // rejects an invalid name, even if there is no file to move
    try
      if (objects.copyIfAbsent(from, to) || objects.areAlike(from, to)) {
        objects.delete(Seq(from))
        MoveOutcome.Moved
      } else MoveOutcome.TargetTaken
    catch {
      case _: FileNotFoundException => MoveOutcome.SourceGone // or another process was faster
      // Some servers answer a read during a deletion with another error, such as 416.
      case _: IOException if objects.size(from).isEmpty => MoveOutcome.SourceGone
    }
  }

  /** A server checks the right to delete before it looks up the object, so the check needs no object. In a
    * bucket with versions, the deletion of a missing object adds a delete marker. Error:
    * `STOPLOG_STORE_WRITE` if the server does not answer the question.
    */
  override def unmovable(directories: Seq[String], to: String): Option[String] =
    try {
      delete(directories.map(FileStore.path(_, S3FileStore.Probe)))
      None
    } catch {
      case e: StoplogException if OpenFailure.isDenied(e) =>
        directories.find(isNamedBy(e, _)).orElse(directories.headOption)
    }

  /** Whether a denial is for the probe of this directory. A server may also deny the whole request, which
    * names no directory.
    */
  private def isNamedBy(denial: Throwable, directory: String): Boolean = {
    val key = files.at(FileStore.path(directory, S3FileStore.Probe)).toUri.getPath.stripPrefix("/")
    Causes.of(denial).exists {
      case denied: AccessDeniedException => Option(denied.getFile).exists(_.endsWith(key))
      case _                             => false
    }
  }

  override def pathProblem(path: String): Option[String] = S3Storage.keyProblem(files, path)

  override def delete(paths: Seq[String]): Unit = io(paths.headOption.getOrElse("")) {
    paths.foreach(path => recent.drop(describe(path)))
    objects.delete(paths)
  }

  /** Deletes each object: there is no directory to delete. */
  override def deleteTree(directory: String): Unit = io(directory) {
    objects.delete(objects.list(directory).map { case (path, _) => path })
  }

  /** S3 has no directories. */
  override def deleteEmpty(directory: String): Unit = ()

  private def put(path: String, bytes: Array[Byte]): PutOutcome =
    if (objects.putIfAbsent(path, bytes)) PutOutcome.Created else PutOutcome.Taken

  private def parents(below: String, directory: String): Iterator[String] =
    below.split('/').init.iterator.scanLeft(directory)(FileStore.path).drop(1)
}

private[stoplog] object S3FileStore {

  /** The capability that `hasPathCapability` must confirm for the path. */
  val Capability: String = S3Objects.ConditionalCreate

  /** The name of an object that never exists. */
  private val Probe = ".stoplog-probe"
}
