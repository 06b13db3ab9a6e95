// SPDX-License-Identifier: Apache-2.0
package stoplog.source.format

import java.io.InputStream
import java.net.URI

/** A user-defined file format: converts bytes to records. There are three kinds of formats, as in Flink.
  *
  *   - [[StreamFormat]]: record by record, by a reader that reports its position. Files are divided between
  *     records.
  *   - [[SimpleStreamFormat]]: record by record, from the start. Files are divided by the number of records.
  *   - [[BulkFormat]]: many records at once. Files are divided between these batches.
  *
  * A format is sent to the executors, so it MUST be serializable. Open resources belong in its readers. If a
  * file is read twice, the format MUST return the same records in the same order. `RecordFormatLaws`, in the
  * tests, checks a user-defined format for this contract.
  *
  * @tparam R the records
  */
sealed trait RecordFormat[R] extends Serializable

/** Reads record after record, and can resume at any record.
  *
  * Files that are compressed according to their suffix are decompressed for the reader, and are read from
  * their start.
  */
trait StreamFormat[R] extends RecordFormat[R] {

  /** Whether reading can start at any byte, because a sync mark, a line end or a fixed length leads to the
    * next record. If not, reading starts at 0, or at a position that a reader of this format has reported.
    */
  def isSplittable: Boolean

  /** Reads the records that start at or after `from`, and before `until`. Reads the last of these records
    * completely, regardless of its end.
    *
    * Errors: `FileNotFoundException` for a missing file. Any other exception means that the file cannot be
    * read, and is reported with the file's name and the position.
    */
  def reader(file: FileInput, from: Long, until: Long): PositionedReader[R]
}

/** Reads record after record, always from the start of a file.
  *
  * If a large file is distributed over micro-batches, each piece is read from the start of the file to the
  * end of the piece. A [[StreamFormat]] that is not splittable avoids this cost.
  */
trait SimpleStreamFormat[R] extends RecordFormat[R] {

  /** Reads all records of a file, decompressed. The reader closes the stream. */
  def reader(in: InputStream): RecordReader[R]
}

/** Reads many records at once, like columnar formats. The format decompresses its files. */
trait BulkFormat[R] extends RecordFormat[R] {

  /** Like [[StreamFormat.isSplittable]], for the positions between batches. */
  def isSplittable: Boolean

  /** Reads the batches that start at or after `from`, and before `until`. Errors: [[StreamFormat.reader]]. */
  def reader(file: FileInput, from: Long, until: Long): BulkReader[R]
}

/** Iterates over records. Used by one thread. */
trait RecordReader[+R] extends AutoCloseable {

  /** Moves to the next record; false if there is no further record. */
  def advance(): Boolean

  /** The record to which [[advance]] has moved. Valid until the next record, so that a reader may reuse the
    * object. Not called for every record, so costly work can wait for this call.
    */
  def record: R
}

/** A reader that reports its position in the file. */
trait PositionedReader[+R] extends RecordReader[R] {

  /** Returns the offset from which a reader reads exactly the records after the current record. Before the
    * first record, returns the start offset of this reader. Increases with each record.
    */
  def position: Long
}

/** Iterates over batches. Used by one thread. */
trait BulkReader[+R] extends AutoCloseable {

  /** Returns the next batch; `None` if there is no further batch. The previous batch is no longer valid. */
  def readBatch(): Option[Iterator[R]]

  /** Returns the offset from which a reader reads exactly the batches after this batch. Called after all
    * records of the batch have been consumed.
    */
  def position: Long
}

/** The file that a format reads. */
trait FileInput {

  /** The user-visible name. */
  def name: String

  /** The URI with scheme and authority, for libraries that open files themselves. */
  def location: URI

  /** `None` if the length is unknown, because the file is decompressed during reading. */
  def bytes: Option[Long]

  /** Opens the bytes from an offset. Not buffered. Error: `FileNotFoundException`. */
  def open(from: Long): InputStream
}
