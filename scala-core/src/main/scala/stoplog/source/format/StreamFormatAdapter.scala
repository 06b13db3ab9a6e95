// SPDX-License-Identifier: Apache-2.0
package stoplog.source.format

/** Reads a [[StreamFormat]] or a [[SimpleStreamFormat]] in batches, for use as a [[BulkFormat]]. Files are
  * divided only between batches, and are not decompressed.
  *
  * {{{
  * final class LettersInBatches extends StreamFormatAdapter(new LettersFormat) with SimpleRows[String] { … }
  * }}}
  *
  * A [[SimpleStreamFormat]] reports no positions, so a position is the number of a record. A reader that
  * starts in the middle of a file reads and drops the preceding records.
  */
class StreamFormatAdapter[R] private (adapted: StreamFormatAdapter.AdaptedFormat[R], batchRecords: Int)
    extends BulkFormat[R] {
  require(batchRecords > 0, s"a batch has at least one record, not $batchRecords")

  /** @param batchRecords the maximum number of records of a batch */
  def this(format: StreamFormat[R], batchRecords: Int = StreamFormatAdapter.DefaultRecords) =
    this(new StreamFormatAdapter.AdaptedFormat.OfPositions(format), batchRecords)

  /** @param batchRecords the maximum number of records of a batch, in a file with more bytes than records */
  def this(format: SimpleStreamFormat[R], batchRecords: Int) =
    this(new StreamFormatAdapter.AdaptedFormat.OfNumbers(format), batchRecords)

  /** Limits a batch to 1000 records. */
  def this(format: SimpleStreamFormat[R]) = this(format, StreamFormatAdapter.DefaultRecords)

  override def isSplittable: Boolean = adapted.isSplittable

  override def reader(file: FileInput, from: Long, until: Long): BulkReader[R] = {
    val records = adapted.reader(file, from, until)
    new BulkReader[R] {
      override def readBatch(): Option[Iterator[R]] = Option.when(records.advance()) {
        new StreamFormatAdapter.Batch(records, adapted.most(file, records.position, batchRecords))
      }

      override def position: Long = records.position

      override def close(): Unit = records.close()
    }
  }
}

object StreamFormatAdapter {

  /** The default maximum number of records of a batch. */
  final val DefaultRecords = 1000

  /** Starts with the reader's current record. */
  private[format] final class Batch[R](records: RecordReader[R], limit: Long) extends Iterator[R] {
    private var taken   = 0L
    private var isReady = true

    override def hasNext: Boolean = {
      if (!isReady && taken < limit) isReady = records.advance()
      isReady
    }

    override def next(): R = {
      if (!hasNext) throw new NoSuchElementException("the batch is over")
      taken += 1
      isReady = false
      records.record
    }
  }

  /** A format that is read in batches, with positions between the records. */
  private sealed trait AdaptedFormat[R] extends Serializable {
    def isSplittable: Boolean

    def reader(file: FileInput, from: Long, until: Long): PositionedReader[R]

    /** Returns the maximum number of records of a batch.
      *
      * @param position the position after its first record
      */
    def most(file: FileInput, position: Long, requested: Int): Long
  }

  private object AdaptedFormat {

    /** The readers of the format report their positions. */
    final class OfPositions[R](format: StreamFormat[R]) extends AdaptedFormat[R] {
      override def isSplittable: Boolean = format.isSplittable

      override def reader(file: FileInput, from: Long, until: Long): PositionedReader[R] =
        format.reader(file, from, until)

      override def most(file: FileInput, position: Long, requested: Int): Long = requested.toLong
    }

    /** The position is the number of the record. */
    final class OfNumbers[R](format: SimpleStreamFormat[R]) extends AdaptedFormat[R] {
      override def isSplittable: Boolean = false

      override def reader(file: FileInput, from: Long, until: Long): PositionedReader[R] = {
        val last = if (until >= end(file)) Long.MaxValue else until
        new Numbered(format.reader(file.open(0)), from, last, end(file))
      }

      /** Positions are limited to the number of bytes of the file. If the number of records reaches this
        * limit, the remaining records are one batch.
        */
      override def most(file: FileInput, position: Long, requested: Int): Long =
        if (position - 1 + requested < end(file)) requested.toLong else Long.MaxValue

      private def end(file: FileInput): Long = file.bytes.getOrElse(Long.MaxValue)
    }

    /** @param from  the number of records to skip
      * @param until the number after its last record
      * @param end   the highest position
      */
    private final class Numbered[R](reader: RecordReader[R], from: Long, until: Long, end: Long)
        extends PositionedReader[R] {
      private var passed = 0L

      override def advance(): Boolean = {
        while (passed < from && reader.advance()) passed += 1
        passed >= from && passed < until && reader.advance() && {
          passed += 1
          true
        }
      }

      override def record: R = reader.record

      override def position: Long = passed.max(from).min(end)

      override def close(): Unit = reader.close()
    }
  }
}
