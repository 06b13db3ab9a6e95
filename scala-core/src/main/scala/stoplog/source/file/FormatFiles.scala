// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.source._
import stoplog.source.format._
import stoplog.storage.{SourceFile, SourceFiles}

/** Files of a format of the user's.
  *
  * @param rows what a task makes of the records
  */
final class FormatFiles[R, T](
    format: RecordFormat[R],
    decoding: Decoding,
    rows: () => RecordEmitter[FormatRecord[R], T]
) extends FileFormat[FormatRecord[R], T] {
  private val opening = new FormatOpening(format, decoding)

  override def framing(files: SourceFiles): FileSplitter = new FormatSplitter(files, opening)

  override def reader(files: SourceFiles, onMissing: OnMissingFile): SplitReader[FileSplit, FormatRecord[R]] =
    new FormatSplitReader(files, opening, onMissing)

  override def emitter(): RecordEmitter[FormatRecord[R], T] = rows()
}

/** A record of the user's, and where it is from. */
trait FormatRecord[+R] extends Located {
  def value: R
}

/** Opens files for a format. */
private[file] final class FormatOpening[R](format: RecordFormat[R], decoding: Decoding) extends Serializable {

  def cuts(file: SourceFile): Cuts = format match {
    case stream: StreamFormat[R] if isPlain(file) => Cuts.of(stream.isSplittable)
    case bulk: BulkFormat[R]                      => Cuts.of(bulk.isSplittable)
    case _                                        => Cuts.ByNumber
  }

  /** The records of a split. */
  def open(files: SourceFiles, split: FileSplit): OpenRecords[R] = {
    val input = new Input(files, split.file)
    (format, split.extent) match {
      case (stream: StreamFormat[R], Extent.Bytes(from, until)) =>
        new ByPosition(split, Steps.of(stream.reader(input, from, until)))
      case (bulk: BulkFormat[R], Extent.Bytes(from, until)) =>
        new ByPosition(split, Steps.of(bulk.reader(input, from, until)))
      case (stream: StreamFormat[R], _) => numbered(split, input, stream.reader(input, 0, Extent.ToTheEnd))
      case (simple: SimpleStreamFormat[R], _) => numbered(split, input, simple.reader(input.open(0)))
      case (bulk: BulkFormat[R], _)           =>
        new ByPosition(split, Steps.of(bulk.reader(input, 0, split.file.bytes)))
    }
  }

  private def numbered(split: FileSplit, input: Input, reader: RecordReader[R]): OpenRecords[R] =
    new ByNumber(split, reader, () => input.storedBytes)

  private def isPlain(file: SourceFile): Boolean = decoding.of(file).isEmpty

  /** The file's own bytes, or, but for a bulk format, what they are decompressed to. */
  private final class Input(files: SourceFiles, file: SourceFile) extends FileInput {
    private val decode = format match {
      case _: BulkFormat[R] => None
      case _                => decoding.of(file)
    }
    private val stored                  = new StoredBytes
    def storedBytes: Long               = stored.count
    override def name: String           = files.describe(file.path)
    override def location: java.net.URI = files.locate(file.path)
    override def bytes: Option[Long]    = Option.when(decode.isEmpty)(file.bytes)

    override def open(from: Long): java.io.InputStream = decode match {
      case None       => stored.of(files.open(file, from))
      case Some(made) =>
        val in = made(stored.of(files.open(file, 0)))
        in.skipNBytes(from)
        in
    }
  }
}

/** Where a file can be cut that a format of the user's reads. */
private[file] sealed trait Cuts
private[file] object Cuts {

  /** At any byte. */
  case object Anywhere extends Cuts

  /** At the positions that a reader tells. */
  case object AtPositions extends Cuts

  /** Behind any number of records, of which the next reader reads none. */
  case object ByNumber extends Cuts

  def of(isSplittable: Boolean): Cuts = if (isSplittable) Anywhere else AtPositions
}
