// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.net.URI

import scala.util.control.NonFatal

import stoplog.source._
import stoplog.source.format._
import stoplog.storage.{SourceFile, SourceFiles}

/** Files of a user-defined format.
  *
  * @param rows makes rows from the records, in a task
  */
private[stoplog] final class FormatFiles[R, T](
    format: RecordFormat[R],
    decoding: Decoding,
    rows: () => RecordEmitter[FormatFiles.FormatRecord[R], T]
) extends FileFormat[FormatFiles.FormatRecord[R], T] {
  import FormatFiles.FormatRecord

  private val opening = new FormatFiles.Opening(format, decoding)

  override def splitter(files: SourceFiles): FileSplitter = new FormatFiles.Splitter(files, opening)

  override def reader(
      files: SourceFiles,
      onMissing: OnMissingFile,
      monitoring: Monitoring
  ): SplitReader[FileSplit, FormatRecord[R]] = new FormatFiles.Reader(files, opening, onMissing, monitoring)

  override def emitter(): RecordEmitter[FormatRecord[R], T] = rows()
}

private[stoplog] object FormatFiles {

  /** The positions at which a file of a user-defined format can be cut. */
  sealed trait SplitPoints
  object SplitPoints {

    /** At any byte. */
    case object Anywhere extends SplitPoints

    /** At the positions reported by a reader. */
    case object AtPositions extends SplitPoints

    /** After any number of records: the next reader skips these records. */
    case object ByNumber extends SplitPoints

    def of(isSplittable: Boolean): SplitPoints = if (isSplittable) Anywhere else AtPositions
  }

  /** Opens files for a format. */
  private[file] final class Opening[R](format: RecordFormat[R], decoding: Decoding) extends Serializable {

    def splitPoints(files: SourceFiles, file: SourceFile): SplitPoints = format match {
      case stream: StreamFormat[R] if decoding.of(files, file).isEmpty => SplitPoints.of(stream.isSplittable)
      case bulk: BulkFormat[R]                                         => SplitPoints.of(bulk.isSplittable)
      case _                                                           => SplitPoints.ByNumber
    }

    /** Whether files of this name are decompressed. Readers of bulk formats read the stored bytes. */
    def isDecoded(files: SourceFiles, file: SourceFile): Boolean = format match {
      case _: BulkFormat[R] => false
      case _                => decoding.of(files, file).isDefined
    }

    /** Opens the records of a split. */
    def open(files: SourceFiles, split: FileSplit): OpenRecords[R] = {
      val input = new Input(files, split.file)
      (format, split.extent) match {
        case (stream: StreamFormat[R], Extent.Bytes(from, until)) =>
          new OpenRecords.ByPosition(split, stream.reader(input, from, until), () => true)
        case (bulk: BulkFormat[R], Extent.Bytes(from, until)) =>
          OpenRecords.ofBatches(split, bulk.reader(input, from, until))
        case (stream: StreamFormat[R], _) => numbered(split, input, stream.reader(input, 0, Extent.ToTheEnd))
        case (simple: SimpleStreamFormat[R], _) => numbered(split, input, simple.reader(input.open(0)))
        case (bulk: BulkFormat[R], _)           =>
          OpenRecords.ofBatches(split, bulk.reader(input, 0, split.file.bytes))
      }
    }

    private def numbered(split: FileSplit, input: Input, reader: RecordReader[R]): OpenRecords[R] =
      new OpenRecords.ByNumber(split, reader, () => input.storedBytes)

    /** The stored bytes of the file. Except for a bulk format, the decoded bytes of a compressed file. */
    private final class Input(files: SourceFiles, file: SourceFile) extends FileInput {
      private val decode                  = if (isDecoded(files, file)) decoding.of(files, file) else None
      private val stored                  = new OpenRecords.StoredBytes
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

  /** Reads the records of files of a user-defined format. */
  private[file] final class Reader[R](
      files: SourceFiles,
      opening: Opening[R],
      onMissing: OnMissingFile,
      monitoring: Monitoring
  ) extends FileByFile[OpenRecords[R], FormatRecord[R]](files, onMissing, monitoring) {

    override protected def begin(split: FileSplit): OpenRecords[R] = opening.open(files, split)

    override protected def hasMore(records: OpenRecords[R]): Boolean = !records.isAtEnd

    override protected def records(
        split: FileSplit,
        records: OpenRecords[R]
    ): Fetched.Records[FileSplit, FormatRecord[R]] = new Fetchable(split, records)

    override protected def position(split: FileSplit, open: Option[OpenRecords[R]]): String =
      open.flatMap(_.passed).fold(split.extent.toString)(at => unit(split.extent) + at)

    private def unit(extent: Extent): String = extent match {
      case _: Extent.Bytes   => "byte "
      case _: Extent.Records => "record "
    }

    /** Returns up to a number of records, so that a thread can wake the reader before the end of the file. */
    private final class Fetchable(override val split: FileSplit, records: OpenRecords[R])
        extends Fetched.Records[FileSplit, FormatRecord[R]]
        with FormatRecord[R] {
      private var left = AtOnce

      override val fileName: String = files.describe(split.file.path)

      override def location: URI = files.locate(split.file.path)

      override def advance(): Boolean = left > 0 && {
        left -= 1
        guarded(split)(records.advance(), leftOut = false)
      }

      override def record: FormatRecord[R] = this

      override def value: R = located(split)(records.record)

      override def position: Option[Long] = records.begins

      override def rest: Option[FileSplit] = records.passed.flatMap(split.rest)
    }
  }

  /** Cuts files of a user-defined format. If the format can start at any byte, the file is cut at any byte.
    * Otherwise the driver finds the positions by reading the file in the same way as the tasks.
    */
  private[file] final class Splitter[R](files: SourceFiles, opening: Opening[R]) extends FileSplitter {
    @transient private var reading: Option[OpenRecords[R]] = None

    override def whole(file: SourceFile): FileSplit = splitPoints(file) match {
      case SplitPoints.ByNumber => FileSplit(file, Extent.Records(0, Extent.ToTheEnd))
      case _                    => FileSplit(file, Extent.Bytes(0, file.bytes))
    }

    override def admit(split: FileSplit, budget: Budget): Admitted[FileSplit] = split.extent match {
      case bytes: Extent.Bytes if budget.records.isEmpty && splitPoints(split.file) == SplitPoints.Anywhere =>
        FileSplitter.ByteRanges.admit(split, bytes, budget)
      case _ if budget.records.isEmpty && fitsWhole(split, budget) => Admitted.All(split, split.size)
      case _                                                       =>
        try counted(split, budget)
        catch {
          // The task reports the error of the file, with the position.
          case NonFatal(_) =>
            close()
            if (budget.isUnused) Admitted.All(split, split.size) else Admitted.Nothing()
        }
    }

    override def divide(split: FileSplit, bytes: Long): Seq[FileSplit] = split.extent match {
      case whole: Extent.Bytes if splitPoints(split.file) == SplitPoints.Anywhere =>
        FileSplitter.ByteRanges.divide(split, whole, bytes)
      case _ => Seq(split)
    }

    override def canBeComplete(file: SourceFile): Boolean = file.bytes > 0 || !opening.isDecoded(files, file)

    override def close(): Unit = {
      reading.foreach(_.close())
      reading = None
    }

    private def splitPoints(file: SourceFile): SplitPoints = opening.splitPoints(files, file)

    /** The rest of a file cut by record number is of unknown size. */
    private def fitsWhole(split: FileSplit, budget: Budget): Boolean = split.extent match {
      case Extent.Records(from, _) if from > 0 => budget.bytes.isEmpty
      case _                                   => budget.bytes.forall(_ >= split.size.bytes)
    }

    /** Reads until the budget or the split is used up. */
    private def counted(split: FileSplit, budget: Budget): Admitted[FileSplit] = {
      val records = opened(split)
      var more    = !records.isAtEnd                // skips to the start of the split
      var tooMuch = false
      val before  = records.storedBytes
      var count   = 0L
      var last    = Option.empty[(Long, SplitSize)] // the last possible cut within the budget
      def isFull  = last.exists { case (_, size) => reaches(budget, size) }
      def size    = SplitSize(records.storedBytes - before, Some(count))
      while (more && !tooMuch && !isFull)
        if (!records.advance()) more = false
        else {
          count += 1
          records.passed.foreach { at =>
            if (budget.holds(size) || canKeep(split, budget, last)) last = Some((at, size))
            else tooMuch = true
          }
        }
      if (!tooMuch && (!more || records.isAtEnd)) {
        close()
        Admitted.All(split, size)
      } else last.fold[Admitted[FileSplit]](Admitted.Nothing()) { case (at, size) => split.cut(at, size) }
    }

    /** Whether to exceed the budget. This applies if the micro-batch has no other split. This also applies if
      * the split can only be read from its start again, so that the records read here are not read in vain.
      */
    private def canKeep(split: FileSplit, budget: Budget, last: Option[_]): Boolean =
      splitPoints(split.file) == SplitPoints.ByNumber || (last.isEmpty && budget.isUnused)

    private def reaches(budget: Budget, size: SplitSize): Boolean =
      budget.bytes.exists(_ <= size.bytes) || budget.records.exists(left => size.records.exists(_ >= left))

    /** Continues the open reading if the last call stopped at the start of this split. */
    private def opened(split: FileSplit): OpenRecords[R] = reading match {
      case Some(records)
          if records.split.file.isSame(split.file) && records.passed.contains(split.extent.from) =>
        records
      case _ =>
        close()
        val records = opening.open(files, split)
        reading = Some(records)
        records
    }
  }

  private final val AtOnce = 4096

  /** A user-defined record with its location. */
  trait FormatRecord[+R] extends Located {
    def value: R
  }
}
