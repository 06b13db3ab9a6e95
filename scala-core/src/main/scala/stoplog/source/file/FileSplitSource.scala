// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.fault.Faults
import stoplog.source._
import stoplog.storage.SourceFiles
import stoplog.thread.Clock

/** A source of the files under a root. */
private[stoplog] final class FileSplitSource[R, T](
    val describe: String,
    enumeration: Enumeration,
    format: FileFormat[R, T],
    onMissing: OnMissingFile,
    clock: Clock = Clock.system,
    faults: Faults = Faults.none,
    seenLimits: SeenFiles.SeenLimits = SeenFiles.SeenLimits.default
) extends SplitSource[FileSplit, R, T] {

  /** Whether the source reads the data that programs append to a file. */
  def isTailed: Boolean = enumeration.monitoring.onChangedFile == Monitoring.OnChangedFile.Tail

  /** The location of the root: files are identified by their paths below the root. */
  override def identity: Option[String] = Some(enumeration.files.locate("").toString)

  override def splits: VersionedSerializer[FileSplit] = FileSplit.Serializer

  override def enumerator(context: EnumeratorContext[FileSplit]): SplitEnumerator[FileSplit] =
    new FileEnumerator(enumeration, context, clock, faults, seenLimits)

  override def reader(): SplitReader[FileSplit, R] =
    new FileSplitSource.CurrentSplits(
      enumeration,
      format.reader(enumeration.files, onMissing, enumeration.monitoring)
    )

  /** Returns a reader of the units of a damaged piece. */
  def unitReader(): SplitReader[FileSplit, R] =
    format.unitReader(enumeration.files, onMissing, enumeration.monitoring)

  override def emitter(): RecordEmitter[R, T] = format.emitter()

  override def divide(split: FileSplit, bytes: Long): Seq[FileSplit] =
    enumeration.splitter.divide(split, bytes)
}

private[stoplog] object FileSplitSource {

  /** Reads splits that the query has planned, possibly in an earlier run with other settings.
    *
    * Error: `STOPLOG_SOURCE_FILE_SETTINGS` for a piece that the reader would not find.
    */
  private final class CurrentSplits[R](enumeration: Enumeration, reader: SplitReader[FileSplit, R])
      extends SplitReader[FileSplit, R] {

    override def add(splits: Seq[FileSplit]): Unit = reader.add(splits.map { split =>
      enumeration.splitter.current(split).getOrElse {
        throw FileSplitter.otherSettings(
          enumeration.files.describe(split.file.path),
          s"${split.extent} were planned"
        )
      }
    })

    override def fetch(): Fetched[FileSplit, R] = reader.fetch()

    override def wakeUp(): Unit = reader.wakeUp()

    override def close(): Unit = reader.close()
  }
}

/** A file format: the records in files, and their rows.
  *
  * @tparam R the records
  * @tparam T the rows
  */
private[stoplog] trait FileFormat[R, T] extends Serializable {

  /** Returns the positions at which files can be divided. */
  def splitter(files: SourceFiles): FileSplitter

  /** @param monitoring decides on a piece of a file that has been replaced */
  def reader(
      files: SourceFiles,
      onMissing: OnMissingFile,
      monitoring: Monitoring
  ): SplitReader[FileSplit, R]

  /** Returns a reader of the units of a damaged piece, see [[FileSplitter.units]]. The reader may find more
    * rows in a unit than the reader of whole pieces.
    */
  def unitReader(
      files: SourceFiles,
      onMissing: OnMissingFile,
      monitoring: Monitoring
  ): SplitReader[FileSplit, R] = reader(files, onMissing, monitoring)

  def emitter(): RecordEmitter[R, T]
}

/** The files of a source, and the way in which they are found.
  *
  * @param splitter the positions at which files can be divided
  * @param zone     the time zone of timestamps without a zone; `None` if no value depends on a time zone
  */
private[stoplog] final case class Enumeration(
    files: SourceFiles,
    selection: FileSelection,
    splitter: FileSplitter,
    monitoring: Monitoring,
    zone: Option[String] = None,
    limits: Enumeration.Limits = Enumeration.Limits()
)

private[stoplog] object Enumeration {

  /** @param listingThreads the number of directories that are listed in parallel
    * @param heldFiles      the maximum number of unread files in memory; the oldest files are held first, the
    *                       others later
    */
  final case class Limits(listingThreads: Int = DirectoryWalker.Threads, heldFiles: Int = 500 * 1000)
}
