// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.{FileNotFoundException, InputStream}
import java.net.URI
import java.time.Instant

import scala.collection.mutable
import scala.util.control.NonFatal

import stoplog.error.{Causes, Errors, SettingFaults, StoplogException}
import stoplog.source.{Fetched, SplitReader}
import stoplog.source.file.Monitoring.OnChangedFile
import stoplog.storage.{Ending, Found, OpenFailure, SourceFile, SourceFiles}

/** Reads pieces of files one after the other, with one open piece at a time. The base class of the readers of
  * all formats.
  *
  * If only a piece of a file is read, the file must still be the listed file. The other pieces are read from
  * the listed file at other times. A longer file counts as the same file if programs may have appended to it,
  * and only the listed bytes are read. A whole file is read in its current state, unless `cleanSource` counts
  * the file as a replacement. With `onChangedFile=reread` or `tail`, a whole file must be the listed file,
  * too. Otherwise the whole file is skipped: the next listing finds the changed file, and the file would be
  * read twice. If only the tag differs, the piece is not skipped, because listings do not compare tags.
  *
  * With `tail`, a file that was renamed in its directory after the listing is read under its new path,
  * because the next listing finds only the appended part of a renamed file.
  *
  * Each error names the file and, if known, the position: `STOPLOG_SOURCE_FILE_CHANGED`,
  * `STOPLOG_SOURCE_FILE_SETTINGS` or `STOPLOG_SOURCE_FILE_UNREADABLE`.
  *
  * @param onMissing the handling of an absent file
  * @param monitoring decides on a piece of a file that has been replaced
  * @tparam O an open piece
  */
private[stoplog] abstract class FileByFile[O <: AutoCloseable, R](
    files: SourceFiles,
    onMissing: OnMissingFile,
    monitoring: Monitoring
) extends SplitReader[FileSplit, R] {
  import monitoring.{cleaning, onChangedFile => onChanged}

  /** Whether the listed bytes of such a file stay the same when programs append to the file. */
  protected def growsAtItsEnd: Boolean = true

  private val waiting                      = mutable.ArrayDeque.empty[FileSplit]
  private var open: Option[(FileSplit, O)] = None
  @volatile private var woken              = false

  /** Opens a piece. */
  protected def begin(split: FileSplit): O

  /** Whether the piece has more records. */
  protected def hasMore(open: O): Boolean

  /** Returns the records that are available now. */
  protected def records(split: FileSplit, open: O): Fetched.Records[FileSplit, R]

  /** Returns the position in the piece, as text with a unit. */
  protected def position(split: FileSplit, open: Option[O]): String

  /** Returns the exception whose message is shown to the user, from an exception and the causes. */
  protected def reportedCause(causes: Seq[Throwable]): Throwable = causes.head

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

  /** Reads from a piece.
    *
    * @param leftOut the result if the file is absent and `onMissing` is `Skip`
    */
  protected final def guarded[A](split: FileSplit)(action: => A, leftOut: A): A =
    failing(action) { e =>
      OpenFailure.of(e)(isThere(split.file)) match {
        case OpenFailure.Absent if onMissing == OnMissingFile.Skip => leftOut
        case failure                                               => throw error(split, failure, e)
      }
    }

  /** Reads from an open piece. An absent file is an error. */
  protected final def located[A](split: FileSplit)(action: => A): A =
    failing(action)(e => throw error(split, OpenFailure.of(e)(isThere(split.file)), e))

  private def failing[A](action: => A)(otherwise: Throwable => A): A =
    try action
    catch {
      case known: StoplogException => throw known
      case NonFatal(e)             => otherwise(e)
      case missing: LinkageError   => otherwise(missing) // a class of a codec, for example
    }

  /** User-defined readers and Spark's readers open files themselves, so a missing file may be another file.
    */
  private def isThere(file: SourceFile): Boolean =
    files.find(file.path).exists(_.kind.isInstanceOf[Found.File])

  private def error(split: FileSplit, failure: OpenFailure, e: Throwable): StoplogException = {
    val fileName = files.describe(split.file.path)
    failure match {
      case OpenFailure.Absent           => Errors.sourceFileGone(fileName, inWords(split.file), e)
      case refused: OpenFailure.Refused => refused.toError(fileName, e)
      case OpenFailure.Unknown          => replaced(split.file).getOrElse(undecodable(split, fileName, e))
    }
  }

  /** Returns the error of an object that was replaced after the listing. Object stores that know the listed
    * version fail to read another version.
    */
  private def replaced(file: SourceFile): Option[StoplogException] =
    for {
      _     <- file.tag
      found <- files.find(file.path).flatMap(_.file(file.path))
      if !found.isStill(file)
    } yield changed(file, found)

  private def changed(file: SourceFile, found: SourceFile): StoplogException = Errors.sourceFileChanged(
    files.describe(file.path),
    inWords(file),
    inWords(found)
  )

  private def undecodable(split: FileSplit, fileName: String, e: Throwable): StoplogException =
    SettingFaults.of(e) match {
      case Some(cause) => Errors.sourceFileSettings(fileName, Causes.message(cause), e)
      case None        =>
        val why = Causes.message(reportedCause(Causes.of(e)))
        Errors.sourceFileUnreadable(fileName, position(split, open.map(_._2)), why, e)
    }

  private def next(): Unit = {
    val split = waiting.head
    open = guarded(split)(opened(split), leftOut = None)
    waiting.removeHead()
    ()
  }

  /** Returns `None` if the piece is to be skipped. The rows name the file by the listed path. */
  private def opened(split: FileSplit): Option[(FileSplit, O)] =
    if (isReadAsIs(split) && cleaning == CleanSource.Keep) Some(split -> begin(split))
    else
      openedAtPath(split) match {
        case Right(piece) => Some(split -> piece)
        case Left(other)  =>
          val moved = renamed(split, other).flatMap(openedAtPath(_).toOption)
          if (moved.isEmpty) refuse(split, other)
          moved.map(split -> _)
      }

  /** Checks the file after opening, so no other file can replace the file between check and opening. Also
    * checks the file if opening fails, because the replacing file may be too short.
    *
    * Returns the other file at the path, if any, in place of the listed file.
    */
  private def openedAtPath(split: FileSplit): Either[Option[SourceFile], O] = {
    lazy val found = files.find(split.file.path).flatMap(_.file(split.file.path))
    lazy val stays = found.exists(isListed(split, _))
    try {
      val piece  = begin(split)
      var isOpen = false
      try isOpen = stays
      finally if (!isOpen) piece.close()
      Either.cond(isOpen, piece, found)
    } catch {
      case NonFatal(e) if !e.isInstanceOf[StoplogException] && !stays => Left(found)
    }
  }

  /** Returns the piece of the listed file under its new path. A compressed file is decoded by its suffix, so
    * a new suffix is not followed.
    */
  private def renamed(split: FileSplit, other: Option[SourceFile]): Option[FileSplit] =
    if (onChanged != OnChangedFile.Tail || other.exists(!_.id.isOther(split.file.id))) None
    else
      RenamedFile.find(files, split.file).map(file => split.copy(file = file)).filter { now =>
        split.extent.isInstanceOf[Extent.Bytes] || suffix(now.file) == suffix(split.file)
      }

  private def suffix(file: SourceFile): String = file.path.substring(file.path.lastIndexOf('.') + 1)

  /** Fails if the piece is not to be skipped. Another object of the same length and time differs only by the
    * tag, and no listing would find that object.
    *
    * @param other the file at the path
    */
  private def refuse(split: FileSplit, other: Option[SourceFile]): Unit = {
    val found   = other.getOrElse(throw new FileNotFoundException(files.describe(split.file.path)))
    val isRead  = onChanged == OnChangedFile.Reread || (onChanged == OnChangedFile.Tail && split.isWhole)
    val isLater = isRead && !CleanSource.isAsListed(split.file.copy(tag = None), found)
    if (!isLater && onMissing == OnMissingFile.Fail) throw changed(split.file, found)
  }

  /** Returns whether programs may have appended to the file. Object stores replace files and do not append.
    */
  private def mayHaveGrown: Boolean = onChanged match {
    case OnChangedFile.Tail   => true
    case OnChangedFile.Ignore => growsAtItsEnd && files.canAppend
    case OnChangedFile.Reread => false
  }

  private def inWords(file: SourceFile): String =
    s"${file.bytes} bytes of ${Instant.ofEpochMilli(file.modifiedMillis)}"

  /** Whether the piece is a whole file which no later listing returns again, unless [[CleanSource]] forgets
    * the file.
    */
  private def isReadAsIs(split: FileSplit): Boolean =
    split.isWhole && onChanged == OnChangedFile.Ignore

  /** Whether the file at the path is the listed file. [[CleanSource]] forgets a replaced whole file, so that
    * the source reads the replacement as a new file.
    */
  private def isListed(split: FileSplit, found: SourceFile): Boolean =
    if (isReadAsIs(split)) !CleanSource.isReplaced(files, split.file, found)
    else CleanSource.isAsListed(split.file, found) || hasGrown(split.file, found)

  /** Whether programs have appended to the file without changing the listed bytes. */
  private def hasGrown(file: SourceFile, found: SourceFile): Boolean =
    mayHaveGrown && found.bytes >= file.bytes &&
      (!found.id.isOther(file.id) || onChanged == OnChangedFile.Tail && file.ending.isKnown) &&
      (!file.ending.isKnown || Ending.read(files, file) == file.ending)
}

/** The handling of a file that existed when the micro-batch was planned and is absent when the task reads the
  * file.
  */
private[stoplog] sealed trait OnMissingFile
private[stoplog] object OnMissingFile {
  case object Fail extends OnMissingFile

  /** Skips the rows of the file. */
  case object Skip extends OnMissingFile
}

/** A record with its location. */
private[stoplog] trait Located {

  /** The piece of the file being read. */
  def split: FileSplit

  /** The user-visible file name. */
  def fileName: String

  /** The location of the file for other readers of the storage. */
  def location: URI

  /** The offset of the record in the file, in bytes. For a decoded file, the offset is in the decoded bytes.
    * `None` if the offset is unknown.
    */
  def position: Option[Long]

  /** The number of rows in the record. More than one for a batch. */
  def rows: Long = 1
}

/** The decoding of files: compression and character set. */
private[stoplog] trait Decoding extends Serializable {

  /** Returns `None` for a file whose records are not encoded. Such a file can be read from any offset. */
  def of(files: SourceFiles, file: SourceFile): Option[InputStream => InputStream]
}

private[stoplog] object Decoding {

  /** Reads all files without decoding. */
  case object None extends Decoding {
    override def of(files: SourceFiles, file: SourceFile): Option[InputStream => InputStream] = scala.None
  }
}
