// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.FileNotFoundException

import scala.collection.mutable
import scala.util.control.NonFatal

import stoplog.error.{Causes, Errors, StoplogException}
import stoplog.source.{Fetched, SplitReader}
import stoplog.storage.SourceFiles

/** Reads pieces of files one after the other, one of them open at a time: what readers of all formats have in common.
  *
  * Whatever goes wrong is told with the file and the position: `STOPLOG_SOURCE_FILE_GONE`, or
  * `STOPLOG_SOURCE_FILE_UNREADABLE`.
  *
  * @param onMissing what becomes of a file that is no longer there
  * @tparam O what is open while a piece is read
  */
private[stoplog] abstract class FileByFile[O <: AutoCloseable, R](
    files: SourceFiles,
    onMissing: OnMissingFile
) extends SplitReader[FileSplit, R] {
  private val waiting                      = mutable.ArrayDeque.empty[FileSplit]
  private var open: Option[(FileSplit, O)] = None
  @volatile private var woken              = false

  /** Opens a piece. */
  protected def begin(split: FileSplit): O

  /** Whether there is more of it. */
  protected def hasMore(open: O): Boolean

  /** That. */
  protected def records(split: FileSplit, open: O): Fetched.Records[FileSplit, R]

  /** How far it was read, in words with a unit. */
  protected def position(split: FileSplit, open: Option[O]): String

  /** What is to be said of an exception, of the exceptions that caused it. */
  protected def told(causes: Seq[Throwable]): Throwable = causes.head

  /** Whether an exception, which these caused, says that the file is not there. */
  protected def isMissing(causes: Seq[Throwable]): Boolean = causes.head.isInstanceOf[FileNotFoundException]

  override final def add(splits: Seq[FileSplit]): Unit = {
    waiting ++= splits
    ()
  }

  override final def fetch(): Fetched[FileSplit, R] = {
    var ready: Fetched[FileSplit, R] = null
    while (ready == null)
      if (woken) {
        woken = false
        ready = Fetched.Nothing
      } else
        open match {
          case Some((split, piece)) =>
            if (guarded(split)(hasMore(piece), leftOut = false)) ready = records(split, piece) else close()
          case None => if (waiting.isEmpty) ready = Fetched.Finished else next()
        }
    ready
  }

  override final def wakeUp(): Unit = woken = true

  override final def close(): Unit = {
    val left = open
    open = None
    left.foreach { case (_, piece) => piece.close() }
  }

  /** Reads of a piece.
    *
    * @param leftOut what comes of it if the file is not there, and is to be left out
    */
  protected final def guarded[A](split: FileSplit)(action: => A, leftOut: A): A =
    try action
    catch {
      case NonFatal(e) if isMissing(Causes.of(e)) =>
        if (onMissing == OnMissingFile.Fail) throw Errors.sourceFileGone(files.describe(split.file.path), e)
        leftOut
      case known: StoplogException => throw known
      case NonFatal(e)             => throw unreadable(split, e)
    }

  protected final def unreadable(split: FileSplit, e: Throwable): StoplogException =
    Errors.sourceFileUnreadable(
      files.describe(split.file.path),
      position(split, open.map(_._2)),
      Causes.message(told(Causes.of(e))),
      e
    )

  private def next(): Unit = {
    val split = waiting.head
    open = guarded(split)(Option(split -> begin(split)), leftOut = None)
    waiting.removeHead()
    ()
  }
}

/** The handling of a file that was there when its micro-batch was planned, and is not there when it is read. */
sealed trait OnMissingFile
object OnMissingFile {
  case object Fail extends OnMissingFile

  /** Its rows are left out. */
  case object Skip extends OnMissingFile
}
