// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.table

import java.io.IOException

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataInputStream, Path}

import stoplog.error.Causes
import stoplog.storage.OpenFailure

/** One reading of an announced file. Decides by [[OpenFailure]] what a failure means.
  *
  * @tparam A the description of the file
  */
private[table] sealed trait FooterReading[+A]

private[table] object FooterReading {

  final case class Found[A](footer: A) extends FooterReading[A]

  case object Absent extends FooterReading[Nothing]

  /** The file has no readable footer: now, and if it is read again.
    *
    * @param reason a clause for messages
    */
  final case class Damaged(reason: String) extends FooterReading[Nothing]

  /** Throws [[Refusal]], and `IOException` with the path of the file if the storage failed.
    *
    * @param read returns the description of the file
    */
  def of[A](file: Path, configuration: Configuration)(read: => A): FooterReading[A] =
    once(file, configuration)(read) match {
      case Left(first) =>
        if (!isStored(file, configuration)) throw unread(file, first)
        once(file, configuration)(read).fold(again => Damaged(Causes.reason(again)), identity)
      case Right(result) => result
    }

  /** Returns the failure if the content of the file may be the reason. */
  private def once[A](file: Path, configuration: Configuration)(
      read: => A
  ): Either[Throwable, FooterReading[A]] =
    try Right(Found(read))
    catch {
      case known: Refusal => throw known
      case NonFatal(e)    =>
        val system = file.getFileSystem(configuration)
        OpenFailure.of(e)(OpenFailure.isThere(system, file)) match {
          case OpenFailure.Absent                                 => Right(Absent)
          case OpenFailure.Unknown if OpenFailure.mayBeContent(e) => Left(e)
          case _                                                  => throw unread(file, e)
        }
    }

  /** Formats have their footers at the end. */
  private def isStored(file: Path, configuration: Configuration): Boolean =
    OpenFailure.returns(LastBytes)(openEnd(file, configuration))

  private def openEnd(file: Path, configuration: Configuration): FSDataInputStream = {
    val system = file.getFileSystem(configuration)
    val bytes  = system.getFileStatus(file).getLen
    val in     = system.open(file)
    try {
      if (bytes > LastBytes) in.seek(bytes - LastBytes)
      in
    } catch {
      case e: Throwable =>
        in.close()
        throw e
    }
  }

  /** Has no cause: a cause would hide the path in messages. */
  private def unread(file: Path, failure: Throwable): IOException = {
    val error = new IOException(s"the file $file cannot be read: ${OpenFailure.reason(failure)}")
    error.addSuppressed(failure)
    error
  }

  private final val LastBytes = 32L << 20
}
