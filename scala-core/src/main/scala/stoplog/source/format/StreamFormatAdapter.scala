// SPDX-License-Identifier: Apache-2.0
package stoplog.source.format

/** Reads a [[StreamFormat]] in batches, where a [[BulkFormat]] is wanted. Files are cut between batches only, and are not
  * decompressed.
  *
  * @param batchRecords how many records a batch has at most
  */
class StreamFormatAdapter[R](format: StreamFormat[R], batchRecords: Int = 1000) extends BulkFormat[R] {
  require(batchRecords > 0, s"a batch has at least one record, not $batchRecords")

  override def isSplittable: Boolean = format.isSplittable

  override def reader(file: FileInput, from: Long, until: Long): BulkReader[R] = {
    val records = format.reader(file, from, until)
    new BulkReader[R] {
      override def readBatch(): Option[Iterator[R]] =
        Option.when(records.advance())(new StreamFormatAdapter.Batch(records, batchRecords))

      override def position: Long = records.position

      override def close(): Unit = records.close()
    }
  }
}

private object StreamFormatAdapter {

  /** Begins with the record at which the reader is. */
  final class Batch[R](records: RecordReader[R], limit: Int) extends Iterator[R] {
    private var taken   = 0
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
