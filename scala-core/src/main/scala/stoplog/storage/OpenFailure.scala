// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.io.{FileNotFoundException, IOException, InputStream, InterruptedIOException}
import java.nio.channels.ClosedByInterruptException
import java.nio.file.{AccessDeniedException, FileSystemException, Files, NoSuchFileException, Path}
import java.nio.file.attribute.BasicFileAttributes

import scala.util.{Failure, Success, Try, Using}
import scala.util.control.NonFatal

import org.apache.hadoop.fs.{FileSystem, FilterFileSystem, Path => HadoopPath, RawLocalFileSystem}
import org.apache.hadoop.security.AccessControlException

import stoplog.error.{Causes, Errors, StoplogException}

/** Why a file could not be opened, read, or looked up.
  *
  * `java.io` reports every failure of `open(2)` as `FileNotFoundException`: a missing file, a missing
  * permission, too many open files. Hadoop does the same on local disks. Only [[Absent]] means that the file
  * does not exist. Every store and every reader decides by this type.
  */
private[stoplog] sealed trait OpenFailure

private[stoplog] object OpenFailure {

  /** The file does not exist. */
  case object Absent extends OpenFailure

  /** The file may exist. The cause has no condition. */
  case object Unknown extends OpenFailure

  /** The file may exist, and the operating system or the storage rejected the call.
    *
    * @param texts the error strings of the operating system
    */
  sealed abstract class Refused(
      val condition: String,
      private[OpenFailure] val texts: Set[String],
      error: (String, String, Throwable) => StoplogException
  ) extends OpenFailure {

    /** The exception for users. */
    def toError(path: String, cause: Throwable): StoplogException = error(path, reason(cause), cause)
  }

  case object NotPermitted
      extends Refused(
        "STOPLOG_FILE_NOT_PERMITTED",
        Set("Permission denied", "Operation not permitted"),
        Errors.fileNotPermitted
      )

  case object TooManyOpenFiles
      extends Refused(
        "STOPLOG_TOO_MANY_OPEN_FILES",
        Set("Too many open files", "Too many open files in system"),
        Errors.tooManyOpenFiles
      )

  case object StaleHandle
      extends Refused(
        "STOPLOG_STALE_FILE_HANDLE",
        Set("Stale file handle", "Stale NFS file handle"),
        Errors.staleFileHandle
      )

  case object InputOutput
      extends Refused(
        "STOPLOG_FILE_IO",
        Set(
          "Input/output error", "Connection timed out", "Transport endpoint is not connected", "Host is down",
          "Remote I/O error"
        ),
        Errors.fileIo
      )

  private val all: Vector[Refused] = Vector(NotPermitted, TooManyOpenFiles, StaleHandle, InputOutput)

  /** Returns the reason for a failure.
    *
    * The error strings of the operating system may be in any language, so no string proves that a file is
    * absent: `isThere` decides.
    *
    * @param isThere whether the storage has the file. Throws if the storage cannot determine this
    */
  def of(failure: Throwable)(isThere: => Boolean): OpenFailure = {
    val causes = Causes.of(failure)
    refused(causes).getOrElse {
      if (!causes.exists(isNotFound)) Unknown
      else
        try if (isThere) Unknown else Absent
        catch { case NonFatal(e) => refused(Causes.of(e)).getOrElse(Unknown) }
    }
  }

  /** Whether a failure can be the fault of a file's content. The storage, a missing file and the end of a
    * thread are other reasons.
    *
    * A failure proves nothing alone. If a second reading fails as well, and the storage returns the bytes
    * ([[returns]]), the content is the reason.
    */
  def mayBeContent(failure: Throwable): Boolean =
    !Thread.currentThread().isInterrupted && Causes.of(failure).forall {
      case known: StoplogException                                   => !isRefusal(known)
      case _: FileNotFoundException | _: InterruptedException        => false
      case _: InterruptedIOException | _: ClosedByInterruptException => false
      case other                                                     => refusedBy(other).isEmpty
    }

  /** Whether the storage returns the next bytes of a file, without decoding. */
  def returns(bytes: Long)(open: => InputStream): Boolean =
    try
      Using.resource(open) { in =>
        val buffer = new Array[Byte](BufferBytes)
        var left   = bytes
        while (left > 0) {
          val read = in.read(buffer, 0, left.min(BufferBytes.toLong).toInt)
          left = if (read < 0) 0 else left - read
        }
        true
      }
    catch { case NonFatal(_) => false }

  private final val BufferBytes = 64 * 1024

  /** Returns the rejection reported by an exception or its causes. */
  def refusedBy(failure: Throwable): Option[Refused] = refused(Causes.of(failure))

  /** Whether an error has a condition of this type. */
  def isRefusal(error: StoplogException): Boolean = all.exists(_.condition == error.getCondition)

  /** Opens a file.
    *
    * Errors: `FileNotFoundException` only if the file is absent; the conditions of [[Refused]];
    * `IOException`.
    *
    * @param path    for messages
    * @param isThere as for [[of]]
    */
  def opening[A](path: => String)(isThere: => Boolean)(open: => A): A = {

    @scala.annotation.tailrec
    def attempt(left: Int): A =
      Try(open) match {
        case Success(opened)         => opened
        case Failure(e: IOException) =>
          of(e)(isThere) match {
            case Absent                    => throw notFound(e)
            case refused: Refused          => throw refused.toError(path, e)
            case Unknown if !isNotFound(e) => throw e
            case Unknown if left > 1       => attempt(left - 1) // the file has appeared since
            case Unknown                   => throw new IOException(e.getMessage, e)
          }
        case Failure(e) => throw e
      }

    attempt(left = 5)
  }

  /** Returns the result of an action. A rejection becomes an error with a condition; other exceptions pass
    * unchanged.
    */
  def naming[A](path: => String)(action: => A): A =
    try action
    catch { case e: IOException => throw refusedBy(e).fold[Throwable](e)(_.toError(path, e)) }

  /** Whether a local file exists. Error: `IOException` if the operating system cannot determine this. */
  def isThere(path: Path): Boolean =
    try {
      Files.readAttributes(path, classOf[BasicFileAttributes])
      true
    } catch { case _: NoSuchFileException => false }

  /** Whether a file of Hadoop exists. Hadoop's local file systems report any failure as "not found", so Java
    * checks instead.
    */
  def isThere(system: FileSystem, path: HadoopPath): Boolean = onLocalDisk(system) match {
    case Some(local) => isThere(local.pathToFile(path).toPath)
    case None        => system.exists(path)
  }

  /** Returns whether a file of Hadoop exists although a call of `system` did not find the file. HDFS and
    * object stores report only absent files this way, so no second request is sent to them.
    */
  def exists(system: FileSystem, path: HadoopPath): Boolean =
    onLocalDisk(system).exists(local => isThere(local.pathToFile(path).toPath))

  @scala.annotation.tailrec
  private def onLocalDisk(system: FileSystem): Option[RawLocalFileSystem] = system match {
    case local: RawLocalFileSystem => Some(local)
    case filter: FilterFileSystem  => onLocalDisk(filter.getRawFileSystem)
    case _                         => None
  }

  /** Whether a call failed because this process lacks a right. */
  def isDenied(e: Throwable): Boolean = Causes.of(e).exists(isDenial)

  private def refused(causes: Seq[Throwable]): Option[Refused] =
    causes.iterator.flatMap(refusedAlone).nextOption()

  private def refusedAlone(e: Throwable): Option[Refused] = e match {
    case denial if isDenial(denial) => Some(NotPermitted)
    case io: IOException            => all.find(_.texts.exists(hasMessage(io, _)))
    case _                          => None
  }

  private def isDenial(e: Throwable): Boolean = e match {
    case _: AccessDeniedException | _: AccessControlException => true
    case _                                                    => false
  }

  /** Whether the string is the exception's reason. Matching strings elsewhere in a message may be data. */
  private def hasMessage(e: IOException, text: String): Boolean = {
    val message = String.valueOf(e.getMessage)
    message == text || (e match {
      case _: FileNotFoundException   => message.endsWith(s"($text)")
      case other: FileSystemException => other.getReason == text
      case _                          => false
    })
  }

  /** The error string of the operating system, in brackets after the path. */
  private val InBrackets = """(?s).*\(([^()]+)\)""".r

  private def isNotFound(e: Throwable): Boolean = e match {
    case _: FileNotFoundException | _: NoSuchFileException => true
    case _                                                 => false
  }

  private def notFound(e: IOException): FileNotFoundException = e match {
    case known: FileNotFoundException => known
    case other                        =>
      val made = new FileNotFoundException(other.getMessage)
      made.initCause(other)
      made
  }

  /** Returns the reason of a failure, without the path. */
  def reason(e: Throwable): String = e match {
    case known: FileSystemException   => Causes.fileReason(known)
    case known: FileNotFoundException =>
      Causes.message(known) match {
        case InBrackets(text) => text
        case other            => other
      }
    case other => Causes.reason(other)
  }
}
