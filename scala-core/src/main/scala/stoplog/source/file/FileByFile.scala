// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.{FileNotFoundException, InputStream}
import java.net.URI
import java.time.Instant

import scala.collection.mutable
import scala.util.control.NonFatal

import stoplog.error.{Causes, Errors, StoplogException}
import stoplog.source.{Fetched, SplitReader}
import stoplog.source.file.Monitoring.OnChangedFile
import stoplog.storage.{Ending, Found, OpenFailure, SourceFile, SourceFiles}

/** Reads pieces of files one after the other, one of them open at a time: what readers of all formats have in common.
  *
  * A file of which a piece alone is read must be the one that was listed: its other pieces are read of that, and at other
  * times. One that is longer by now counts as the same where programs may have added to it, and its bytes are those that
  * were listed. A whole file is read as it is, unless a file of another id has replaced it on a local disk.
  *
  * Each error tells the file, and where there is one the position: `STOPLOG_SOURCE_FILE_GONE`,
  * `STOPLOG_SOURCE_FILE_CHANGED` or `STOPLOG_SOURCE_FILE_UNREADABLE`.
  *
  * @param onMissing the handling of a file that is gone
  * @param onChanged the handling of a piece of a file that is another by now
  * @tparam O a piece that is open
  */
private[stoplog] abstract class FileByFile[O <: AutoCloseable, R](
    files: SourceFiles,
    onMissing: OnMissingFile,
    onChanged: OnChangedFile
) extends SplitReader[FileSplit, R] {

  /** Whether what was listed of such a file stays as it was when programs add to it. */
  protected def growsAtItsEnd: Boolean = true

  private val waiting                      = mutable.ArrayDeque.empty[FileSplit]
  private var open: Option[(FileSplit, O)] = None
  @volatile private var woken              = false

  /** Opens a piece. */
  protected def begin(split: FileSplit): O

  /** Whether there is more of it. */
  protected def hasMore(open: O): Boolean

  /** The records that are there now. */
  protected def records(split: FileSplit, open: O): Fetched.Records[FileSplit, R]

  /** The position in it, in words with a unit. */
  protected def position(split: FileSplit, open: Option[O]): String

  /** The exception of which the message tells the user, of an exception and its causes. */
  protected def told(causes: Seq[Throwable]): Throwable = causes.head

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
    failing(action) { e =>
      OpenFailure.of(e)(isThere(split.file)) match {
        case OpenFailure.Absent if onMissing == OnMissingFile.Skip => leftOut
        case failure                                               => throw error(split, failure, e)
      }
    }

  /** Reads of a piece that is open. A file that is absent now is an error. */
  protected final def located[A](split: FileSplit)(action: => A): A =
    failing(action)(e => throw error(split, OpenFailure.of(e)(isThere(split.file)), e))

  private def failing[A](action: => A)(otherwise: Throwable => A): A =
    try action
    catch {
      case known: StoplogException => throw known
      case NonFatal(e)             => otherwise(e)
    }

  /** Readers of users and of Spark open files themselves: what they do not find may be another file. */
  private def isThere(file: SourceFile): Boolean =
    files.find(file.path).exists(_.kind.isInstanceOf[Found.File])

  private def error(split: FileSplit, failure: OpenFailure, e: Throwable): StoplogException = {
    val fileName = files.describe(split.file.path)
    failure match {
      case OpenFailure.Absent           => Errors.sourceFileGone(fileName, e)
      case refused: OpenFailure.Refused => refused.toError(fileName, e)
      case OpenFailure.Unknown          =>
        val why = Causes.message(told(Causes.of(e)))
        Errors.sourceFileUnreadable(fileName, position(split, open.map(_._2)), why, e)
    }
  }

  private def next(): Unit = {
    val split = waiting.head
    open = guarded(split)(opened(split), leftOut = None)
    waiting.removeHead()
    ()
  }

  /** The file is looked at once it is open, so that none comes in between; and if it does not open, since another one may
    * be too short.
    */
  private def opened(split: FileSplit): Option[(FileSplit, O)] =
    if (isWhole(split) && !files.looksAreLocal) Some(split -> begin(split))
    else
      try {
        val piece = begin(split)
        var stays = false
        try stays = isListed(split)
        finally if (!stays) piece.close()
        Option.when(stays)(split -> piece)
      } catch {
        case NonFatal(e) if !e.isInstanceOf[StoplogException] && !isListed(split) => None
      }

  /** An object store replaces files and adds to none. */
  private def mayHaveGrown: Boolean = onChanged match {
    case OnChangedFile.Tail   => true
    case OnChangedFile.Ignore => growsAtItsEnd && files.canAppend
    case OnChangedFile.Reread => false
  }

  private def inWords(bytes: Long, modifiedMillis: Long): String =
    s"$bytes bytes of ${Instant.ofEpochMilli(modifiedMillis)}"

  private def isWhole(split: FileSplit): Boolean = split.isFirst && split.isLast

  /** Whether the file is the one that was listed; false if another one is there, and its piece is to be left out. */
  private def isListed(split: FileSplit): Boolean = {
    val file     = split.file
    val fileName = files.describe(file.path)
    val found    = files.find(file.path).flatMap(_.file(file.path)).getOrElse {
      throw new FileNotFoundException(fileName)
    }
    val isListed = isAsListed(file, found) ||
      (if (isWhole(split)) !found.id.isOther(file.id) else hasGrown(file, found))
    if (!isListed && onChanged != OnChangedFile.Reread && onMissing == OnMissingFile.Fail)
      throw Errors.sourceFileChanged(
        fileName,
        inWords(file.bytes, file.modifiedMillis),
        inWords(found.bytes, found.modifiedMillis)
      )
    isListed
  }

  /** Numbers of files may differ between hosts: a file of the same length and time is the same. */
  private def isAsListed(file: SourceFile, found: SourceFile): Boolean =
    found.copy(id = file.id).isStill(file)

  /** Whether programs have added to the file, and changed nothing of what was listed. */
  private def hasGrown(file: SourceFile, found: SourceFile): Boolean =
    mayHaveGrown && found.bytes >= file.bytes &&
      (!found.id.isOther(file.id) || onChanged == OnChangedFile.Tail && file.ending.isKnown) &&
      (!file.ending.isKnown || Ending.read(files, file) == file.ending)
}

/** The handling of a file that was there when its micro-batch was planned, and is not there when it is read. */
private[stoplog] sealed trait OnMissingFile
private[stoplog] object OnMissingFile {
  case object Fail extends OnMissingFile

  /** Its rows are left out. */
  case object Skip extends OnMissingFile
}

/** A record that knows where it is from. */
private[stoplog] trait Located {

  /** The file, and which piece of it is being read. */
  def split: FileSplit

  /** The file as a user knows it. */
  def fileName: String

  /** The same for other readers of the storage. */
  def location: URI

  /** The offset of the record in its file, in bytes, or in the decoded bytes of a decoded file. None if it is not known.
    */
  def position: Option[Long]

  /** The number of rows that it is: more than one of a batch. */
  def rows: Long = 1
}

/** The decoding of files: their compression, and their character set. */
private[stoplog] trait Decoding extends Serializable {

  /** None for a file whose bytes are those of its records as they are: such a file can be read from its middle. */
  def of(files: SourceFiles, file: SourceFile): Option[InputStream => InputStream]
}

private[stoplog] object Decoding {

  /** All files are as they are. */
  case object None extends Decoding {
    override def of(files: SourceFiles, file: SourceFile): Option[InputStream => InputStream] = scala.None
  }
}
