// SPDX-License-Identifier: Apache-2.0
package stoplog.source.format

/** Reads a [[StreamFormat]] or a [[SimpleStreamFormat]] in batches, where a [[BulkFormat]] is wanted. Files are cut between
  * batches only, and are not decompressed.
  *
  * {{{
  * final class LettersInBatches extends StreamFormatAdapter(new LettersFormat) with SimpleRows[String] { … }
  * }}}
  *
  * A [[SimpleStreamFormat]] tells no positions: there a position is the number of a record. What begins in the middle of a
  * file reads and drops the records before it.
  */
class StreamFormatAdapter[R] private (adapted: AdaptedFormat[R], batchRecords: Int) extends BulkFormat[R] {
  require(batchRecords > 0, s"a batch has at least one record, not $batchRecords")

  /** @param batchRecords how many records a batch has at most */
  def this(format: StreamFormat[R], batchRecords: Int = StreamFormatAdapter.DefaultRecords) =
    this(new AdaptedFormat.OfPositions(format), batchRecords)

  /** @param batchRecords how many records a batch has at most, in a file that has more bytes than records */
  def this(format: SimpleStreamFormat[R], batchRecords: Int) =
    this(new AdaptedFormat.OfNumbers(format), batchRecords)

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

  /** How many records a batch has where nobody says it. */
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
}
