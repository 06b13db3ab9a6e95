// SPDX-License-Identifier: Apache-2.0
package stoplog.source.format

import java.io.InputStream
import java.net.URI

/** A format of files of one's own: how bytes become records. It is one of the three kinds that Flink has, too.
  *
  *   - [[StreamFormat]]: record by record, by a reader that tells where it is. Files are cut between records.
  *   - [[SimpleStreamFormat]]: record by record, from the beginning. Files are cut by the number of records.
  *   - [[BulkFormat]]: many records together. Files are cut between those batches.
  *
  * A format goes to the executors, so it must be serializable; what it holds open belongs into its readers. Reading a
  * file twice must give the same records, in the same order. `RecordFormatLaws` among the tests asks yours for it.
  *
  * @tparam R its records
  */
sealed trait RecordFormat[R] extends Serializable

/** Reads record after record, and can go on at any of them.
  *
  * Compressed files, which their suffix tells, come decompressed, and are read from their beginnings.
  */
trait StreamFormat[R] extends RecordFormat[R] {

  /** Whether reading can begin at any byte, as where a sync mark, a line's end or a fixed length leads to the next record.
    * If not, it begins at 0, or at a position that a reader of this format told.
    */
  def isSplittable: Boolean

  /** Reads the records that begin at `from` or behind it, and before `until`; all of the last one, wherever that ends.
    *
    * Errors: `FileNotFoundException` for a file that is gone; any other exception means that the file cannot be read, and
    * is reported with the file's name and the position.
    */
  def reader(file: FileInput, from: Long, until: Long): PositionedReader[R]
}

/** Reads record after record, always from the beginning of a file.
  *
  * Where a large file is spread over micro-batches, each of its pieces is read from the beginning again, up to the end of
  * the piece: a [[StreamFormat]] that is not splittable does not need this.
  */
trait SimpleStreamFormat[R] extends RecordFormat[R] {

  /** Reads all records of a file, decompressed. The reader closes the stream. */
  def reader(in: InputStream): RecordReader[R]
}

/** Reads many records together, as columnar formats do. Decompresses by itself. */
trait BulkFormat[R] extends RecordFormat[R] {

  /** As for [[StreamFormat.isSplittable]], of the places between batches. */
  def isSplittable: Boolean

  /** Reads the batches that begin at `from` or behind it, and before `until`. Errors as for [[StreamFormat.reader]]. */
  def reader(file: FileInput, from: Long, until: Long): BulkReader[R]
}

/** Goes from record to record. Used by one thread. */
trait RecordReader[+R] extends AutoCloseable {

  /** Goes to the next record; false when there is none. */
  def advance(): Boolean

  /** The record that [[advance]] went to. Valid until the next, so that a reader may use it again. Not every record is
    * asked for: costly work can wait for this call.
    */
  def record: R
}

/** A reader that knows where in the file it is. */
trait PositionedReader[+R] extends RecordReader[R] {

  /** The offset from which a reader reads exactly the records behind this one; before the first record, that of this
    * reader's beginning. Grows with each record.
    */
  def position: Long
}

/** Goes from batch to batch. Used by one thread. */
trait BulkReader[+R] extends AutoCloseable {

  /** The next batch; none when there is no further one. What was returned before is no longer valid. */
  def readBatch(): Option[Iterator[R]]

  /** The offset from which a reader reads exactly the batches behind this one, once all of it has been taken. */
  def position: Long
}

/** A file, as a format gets it. */
trait FileInput {

  /** As a user knows it. */
  def name: String

  /** With scheme and authority, for libraries that open files by themselves. */
  def location: URI

  /** None if the length is unknown, because the file comes decompressed. */
  def bytes: Option[Long]

  /** The bytes from an offset on. Not buffered. Error: `FileNotFoundException`. */
  def open(from: Long): InputStream
}
