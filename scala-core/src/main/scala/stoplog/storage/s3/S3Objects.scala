// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.io.{EOFException, FileNotFoundException, IOException, InputStream, OutputStream}
import java.nio.charset.StandardCharsets.US_ASCII
import java.nio.file.AccessDeniedException
import java.util.Arrays
import java.util.concurrent.ExecutionException

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.fs.{FSDataOutputStream, FileAlreadyExistsException, FileStatus, FileSystem}
import org.apache.hadoop.fs.{MultipartUploader, Path, PathIOException}

import stoplog.storage.hadoop.HadoopFiles

/** The objects under one path, through Hadoop's file system.
  *
  * Paths are relative to the root. The methods make as few requests as Hadoop allows.
  */
private[s3] final class S3Objects(files: HadoopFiles) extends Serializable {
  @transient private lazy val conflicts = new S3Conflicts(fs.getConf)

  private def fs: FileSystem = files.fileSystem

  def path(relative: String): Path = files.at(relative)

  /** Returns the name of an object for messages. */
  def describe(relative: String): String = path(relative).toString

  /** Returns the server's handling of an upload with gaps in its part numbers. */
  def gaps: S3Token.S3Room.Gaps = {
    val algorithm = fs.getConf.getTrimmed("fs.s3a.create.checksum.algorithm", "")
    val isChosen  = fs.getConf.getBoolean("fs.s3a.checksum.generation", false) // by the client itself
    if (algorithm.nonEmpty || isChosen || S3Objects.isDirectoryBucket(fs.getUri.getHost))
      S3Token.S3Room.Gaps.Refused
    else S3Token.S3Room.Gaps.Allowed
  }

  /** Returns the bucket with its scheme. A server that hangs usually hangs for all objects of the bucket. */
  def storage: String = s"${path("").toUri.getScheme}://${path("").toUri.getAuthority}"

  /** Creates an uploader for immediate calls only. */
  def uploader(target: String): MultipartUploader =
    fs.createMultipartUploader(path(target).getParent).build()

  def put(relative: String, bytes: Array[Byte]): Unit = put(relative)(_.write(bytes))

  /** Like the method above, for bytes that are written in several steps. */
  def put(relative: String)(content: OutputStream => Unit): Unit = {
    val out = fs.createFile(path(relative)).overwrite(true).recursive().opt(NoChecks, "true").build()
    write(out)(content)
  }

  /** Whether this call created the object. Throws if the result is unknown. */
  def putIfAbsent(relative: String, bytes: Array[Byte]): Boolean = putIfAbsent(relative)(_.write(bytes))

  /** Creates the object from the bytes of another object, which may be large. Error: `FileNotFoundException`
    * if the other object does not exist.
    */
  def copyIfAbsent(from: String, to: String): Boolean = putIfAbsent(to) { out =>
    Using.resource(opened(from))(_.transferTo(out)): Unit
  }

  /** Whether both objects have the same bytes. Error: `FileNotFoundException` if `one` does not exist. */
  def areAlike(one: String, other: String): Boolean =
    size(one).getOrElse(throw new FileNotFoundException(describe(one))) == size(other).getOrElse(-1L) &&
      Using.resources(opened(one), opened(other)) { (first, second) =>
        Iterator
          .continually((first.readNBytes(S3Objects.ReadBytes), second.readNBytes(S3Objects.ReadBytes)))
          .takeWhile { case (a, b) => a.nonEmpty || b.nonEmpty }
          .forall { case (a, b) => Arrays.equals(a, b) }
      }

  private def opened(relative: String): InputStream =
    ifThere(wholeFile(relative).build().get()).getOrElse(throw new FileNotFoundException(describe(relative)))

  private def wholeFile(relative: String) =
    fs.openFile(path(relative)).opt("fs.option.openfile.read.policy", "whole-file")

  private def putIfAbsent(relative: String)(content: OutputStream => Unit): Boolean = conflicts.outlasting {
    try {
      val out = fs
        .createFile(path(relative))
        .overwrite(true)
        .recursive()
        .opt(NoChecks, "true")
        .must(S3Objects.ConditionalCreate, true)
        .build()
      write(out)(content)
      true
    } catch {
      case _: FileAlreadyExistsException                => false
      case e: PathIOException if S3Objects.isRefused(e) => false
    }
  }

  /** Reads the whole object; `None` if the object does not exist. Hadoop requests the length when the object
    * is opened, so no further request is necessary.
    */
  def read(relative: String): Option[Array[Byte]] =
    ifThere(Using.resource(wholeFile(relative).build().get())(_.readAllBytes()))

  /** Reads the first bytes without a request for the length; `None` if missing. Error: `EOFException`. */
  def read(relative: String, bytes: Long): Option[Array[Byte]] = ifThere {
    if (bytes > S3Objects.LargestRead)
      throw new IOException(s"${describe(relative)} has $bytes bytes, too many to be read at once")
    val in = wholeFile(relative).opt("fs.option.openfile.length", bytes.toString).build().get()
    try {
      val content = in.readNBytes(bytes.toInt)
      if (content.length < bytes) throw new EOFException(describe(relative))
      content
    } finally in.close()
  }

  /** Returns `None` if the object does not exist, which costs a second request: see [[exists]]. A status
    * request would cost a listing.
    */
  def size(relative: String): Option[Long] = ifThere {
    fs.getXAttr(path(relative), "header.Content-Length")
  }.map(new String(_, US_ASCII).toLong)

  /** Makes one request, regardless of the result. Hadoop checks the object when it opens the object, and
    * reads bytes only on demand. For a header of a missing object, Hadoop makes a second request, for an
    * object that represents a directory.
    */
  def exists(relative: String): Boolean =
    ifThere(fs.openFile(path(relative)).build().get().close()).isDefined

  /** Makes one request, and does not check for empty directories. Ignores missing files. */
  def delete(relative: Seq[String]): Unit = if (relative.nonEmpty) {
    val bulk = fs.createBulkDelete(path(""))
    try
      relative.grouped(bulk.pageSize()).foreach { page =>
        val failed = bulk.bulkDelete(page.map(path).asJava).asScala
        failed.headOption.foreach(entry => throw S3Objects.undeleted(entry.getKey.toString, entry.getValue))
      }
    finally bulk.close()
  }

  /** Returns path, size and time of all objects under a directory. */
  def list(directory: String): Vector[(String, FileStatus)] =
    try {
      val found = fs.listFiles(path(directory), true)
      Iterator
        .unfold(found)(it => if (it.hasNext) Some(it.next() -> it) else None)
        .map(file => files.relative(file.getPath) -> file)
        .toVector
    } catch { case _: FileNotFoundException => Vector.empty }

  private def ifThere[A](action: => A): Option[A] =
    try Option(action)
    catch {
      case _: FileNotFoundException => None
      case e: ExecutionException    =>
        e.getCause match {
          case _: FileNotFoundException => None
          case other                    => throw other
        }
    }

  /** Aborts a failed stream: closing the stream would create an incomplete object. */
  private def write(out: FSDataOutputStream)(content: OutputStream => Unit): Unit = {
    try content(out)
    catch { case e: Throwable => out.abort(); throw e }
    out.close()
  }

  /** No directory ever has these names, so S3A need not check for a directory. */
  private final val NoChecks = "fs.s3a.create.performance"
}

private[s3] object S3Objects {

  /** Hadoop's name of the option and capability to create an object atomically, only if it does not exist. */
  val ConditionalCreate = "fs.option.create.conditional.overwrite"

  private val ReadBytes   = 1 << 20
  private val LargestRead = Int.MaxValue - 8L // the longest array

  /** Whether a directory bucket, or an access point of a directory bucket, has this name. No other bucket or
    * access point has such a name.
    */
  def isDirectoryBucket(name: String): Boolean = name.endsWith("--x-s3") || name.endsWith("--xa-s3")

  /** Returns the failure of one object in a request that deletes many. The request itself succeeds. */
  private def undeleted(path: String, why: String): IOException =
    if (why.contains("AccessDenied")) new AccessDeniedException(path, null, why)
    else new IOException(s"$path: $why")

  /** A failed condition. S3A reports it by a class that may not be named at compile time. */
  private def isRefused(e: Throwable): Boolean = e.getClass.getSimpleName == "RemoteFileChangedException"
}
