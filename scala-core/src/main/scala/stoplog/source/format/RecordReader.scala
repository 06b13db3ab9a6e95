// SPDX-License-Identifier: Apache-2.0
package stoplog.source.format

/** Goes from record to record. Used by one thread. */
trait RecordReader[+R] extends AutoCloseable {

  /** Goes to the next record; false when there is none. */
  def advance(): Boolean

  /** The record that [[advance]] went to. Valid until the next, so that a reader may use it again. Not every record is
    * asked for: what is costly about it can wait for this call.
    */
  def record: R
}

/** A reader that knows where in the file it is. */
trait PositionedReader[+R] extends RecordReader[R] {

  /** Where a reader has to begin to read exactly the records behind this one; before the first, where this one begins.
    * Grows with each record.
    */
  def position: Long
}

/** Goes from batch to batch. Used by one thread. */
trait BulkReader[+R] extends AutoCloseable {

  /** The next batch; none when there is no further one. What was returned before is no longer valid. */
  def readBatch(): Option[Iterator[R]]

  /** Where a reader has to begin to read exactly the batches behind this one, once all of it has been taken. */
  def position: Long
}
