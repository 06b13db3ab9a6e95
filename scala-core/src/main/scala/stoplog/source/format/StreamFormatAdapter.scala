// SPDX-License-Identifier: Apache-2.0
package stoplog.source.format

/** Reads a [[StreamFormat]] or a [[SimpleStreamFormat]] in batches, where a [[BulkFormat]] is wanted. Files are cut between
  * batches only, and are not decompressed.
  *
  * {{{
  * final class LettersInBatches extends StreamFormatAdapter(new LettersFormat) with SimpleRows[String] { … }
  * }}}
  *
  * A [[SimpleStreamFormat]] tells no positions: there a position is the number of a record. A reader that begins in the
  * middle of a file reads and drops the records before it.
  */
class StreamFormatAdapter[R] private (adapted: StreamFormatAdapter.AdaptedFormat[R], batchRecords: Int)
    extends BulkFormat[R] {
  require(batchRecords > 0, s"a batch has at least one record, not $batchRecords")

  /** @param batchRecords how many records a batch has at most */
  def this(format: StreamFormat[R], batchRecords: Int = StreamFormatAdapter.DefaultRecords) =
    this(new StreamFormatAdapter.AdaptedFormat.OfPositions(format), batchRecords)

  /** @param batchRecords how many records a batch has at most, in a file that has more bytes than records */
  def this(format: SimpleStreamFormat[R], batchRecords: Int) =
    this(new StreamFormatAdapter.AdaptedFormat.OfNumbers(format), batchRecords)

  /** With at most 1000 records in a batch. */
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

  /** The most records that a batch has by default. */
  final val DefaultRecords = 1000

  /** Begins with the record at which the reader is. */
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

    /** The most records that a batch has.
      *
      * @param position behind its first record
      */
    def most(file: FileInput, position: Long, asked: Int): Long
  }

  private object AdaptedFormat {

    /** Its readers tell where they are. */
    final class OfPositions[R](format: StreamFormat[R]) extends AdaptedFormat[R] {
      override def isSplittable: Boolean = format.isSplittable

      override def reader(file: FileInput, from: Long, until: Long): PositionedReader[R] =
        format.reader(file, from, until)

      override def most(file: FileInput, position: Long, asked: Int): Long = asked.toLong
    }

    /** The position is the number of the record. */
    final class OfNumbers[R](format: SimpleStreamFormat[R]) extends AdaptedFormat[R] {
      override def isSplittable: Boolean = false

      override def reader(file: FileInput, from: Long, until: Long): PositionedReader[R] = {
        val last = if (until >= end(file)) Long.MaxValue else until
        new Numbered(format.reader(file.open(0)), from, last, end(file))
      }

      /** Positions end with the bytes of the file. One that has as many records is not cut any more. */
      override def most(file: FileInput, position: Long, asked: Int): Long =
        if (position - 1 + asked < end(file)) asked.toLong else Long.MaxValue

      private def end(file: FileInput): Long = file.bytes.getOrElse(Long.MaxValue)
    }

    /** @param from  how many records it passes over
      * @param until the number behind its last record
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
