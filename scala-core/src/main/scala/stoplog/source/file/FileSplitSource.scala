// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.fault.Faults
import stoplog.source._
import stoplog.storage.SourceFiles

/** The files under a root as a source. */
private[stoplog] final class FileSplitSource[R, T](
    val describe: String,
    enumeration: Enumeration,
    format: FileFormat[R, T],
    onMissing: OnMissingFile,
    clock: () => Long = () => System.currentTimeMillis(),
    faults: Faults = Faults.none,
    seenLimits: SeenLimits = SeenLimits.default
) extends SplitSource[FileSplit, R, T] {

  /** Files are known by their paths below it. */
  override def identity: Option[String] = Some(enumeration.files.locate("").toString)

  override def splits: VersionedSerializer[FileSplit] = FileSplit.Serializer

  override def enumerator(context: EnumeratorContext[FileSplit]): SplitEnumerator[FileSplit] =
    new FileEnumerator(enumeration, context, clock, faults, seenLimits)

  override def reader(): SplitReader[FileSplit, R] = format.reader(enumeration.files, onMissing)

  override def emitter(): RecordEmitter[R, T] = format.emitter()

  override def divide(split: FileSplit, bytes: Long): Seq[FileSplit] =
    enumeration.framing.divide(split, bytes)
}

/** A format of files: the records in them, and the rows of these.
  *
  * @tparam R the records
  * @tparam T the rows
  */
private[stoplog] trait FileFormat[R, T] extends Serializable {

  /** The positions at which files can be cut. */
  def framing(files: SourceFiles): FileSplitter

  def reader(files: SourceFiles, onMissing: OnMissingFile): SplitReader[FileSplit, R]

  def emitter(): RecordEmitter[R, T]
}

/** The files of a source, and the way in which they are found.
  *
  * @param framing the positions at which they can be cut
  * @param finder  finds the files in another way than by listing all directories
  */
private[stoplog] final case class Enumeration(
    files: SourceFiles,
    rules: PathRules,
    framing: FileSplitter,
    monitoring: Monitoring,
    readiness: Readiness = Readiness.atOnce,
    finder: Option[FileFinder] = None,
    limits: Enumeration.Limits = Enumeration.Limits()
)

private[stoplog] object Enumeration {

  /** @param listingThreads how many directories are listed at a time
    * @param heldFiles      how many unread files are held in memory: the oldest of them, and the others later
    */
  final case class Limits(listingThreads: Int = DirectoryWalker.Threads, heldFiles: Int = 500 * 1000)
}

/** The manner in which a streaming query follows its directories.
  *
  * @param intervalMillis     how much time passes between two listings at least
  * @param wholeListingMillis how much time may pass without a listing of all directories
  * @param cleaning           the handling of files that have been read
  */
private[stoplog] final case class Monitoring(
    onChangedFile: OnChangedFile = OnChangedFile.Ignore,
    onMergedPart: OnMergedPart = OnMergedPart.Fail,
    intervalMillis: Long = 0,
    wholeListingMillis: Long = 10 * 60 * 1000L,
    cleaning: CleanSource = CleanSource.Keep
) {

  /** Whether a listing passes over directories that have not changed, where the storage tells, but for now and then. A
    * file that changes does not change its directory: so not for a user who asks for changed files.
    */
  def passesOver: Boolean = onChangedFile == OnChangedFile.Ignore
}

/** The handling of a file that has been read, and has another length or time now. */
private[stoplog] sealed trait OnChangedFile
private[stoplog] object OnChangedFile {

  /** Nothing: its rows were read. */
  case object Ignore extends OnChangedFile

  /** It is read again, as if it were new. */
  case object Reread extends OnChangedFile

  /** If it is longer, the added bytes are read, as far as their records are whole; if it is shorter, it is read again. */
  case object Tail extends OnChangedFile
}

/** A streaming query's handling of a part that a merge of the sink's has written: a new file, whose rows it may have
  * read from the parts that are gone for it. Decision 0019.
  */
private[stoplog] sealed trait OnMergedPart extends Serializable
private[stoplog] object OnMergedPart {

  /** The query fails: it cannot be known which of the rows are new. */
  case object Fail extends OnMergedPart

  /** It is read as any file: of a directory in which nothing is merged any more. */
  case object Read extends OnMergedPart

  /** It is left out, because its rows were read before they were merged. */
  case object Skip extends OnMergedPart
}
