// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.fault.Faults
import stoplog.source._
import stoplog.storage.SourceFiles

/** The files under a root as a source. */
final class FileSplitSource[R, T](
    val describe: String,
    enumeration: Enumeration,
    format: FileFormat[R, T],
    onMissing: OnMissingFile,
    clock: FileClock = FileClock.System,
    faults: Faults = Faults.none,
    seenLimits: SeenLimits = SeenLimits.default
) extends SplitSource[FileSplit, R, T] {

  /** Files are known by their paths below it. */
  override def identity: Option[String] = Some(enumeration.files.locate("").toString)

  override def splits: VersionedSerializer[FileSplit] = FileSplitSerializer

  override def enumerator(context: EnumeratorContext[FileSplit]): SplitEnumerator[FileSplit] =
    new FileEnumerator(enumeration, context, () => clock.millis(), faults, seenLimits)

  override def reader(): SplitReader[FileSplit, R] = format.reader(enumeration.files, onMissing)

  override def emitter(): RecordEmitter[R, T] = format.emitter()

  override def divide(split: FileSplit, bytes: Long): Seq[FileSplit] =
    enumeration.framing.divide(split, bytes)
}

/** How the records of files are found, and what becomes of them.
  *
  * @tparam R the records
  * @tparam T the rows
  */
trait FileFormat[R, T] extends Serializable {

  /** The positions at which files can be cut. */
  def framing(files: SourceFiles): FileSplitter

  def reader(files: SourceFiles, onMissing: OnMissingFile): SplitReader[FileSplit, R]

  def emitter(): RecordEmitter[R, T]
}

/** The time by which files are old or young. */
trait FileClock extends Serializable {
  def millis(): Long
}

object FileClock {
  case object System extends FileClock {
    override def millis(): Long = java.lang.System.currentTimeMillis()
  }
}

/** Files of lines.
  *
  * @param rows what a task makes of them
  */
final class LineFormat[T](decoding: Decoding, separator: Separator, rows: () => RecordEmitter[Line, T])
    extends FileFormat[Line, T] {

  override def framing(files: SourceFiles): FileSplitter = new Lines(files, decoding, separator)

  override def reader(files: SourceFiles, onMissing: OnMissingFile): SplitReader[FileSplit, Line] =
    new LineSplitReader(files, decoding, separator, onMissing)

  override def emitter(): RecordEmitter[Line, T] = rows()
}
