// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.{FilterInputStream, InputStream}

import stoplog.source.format._

/** The records of one split during reading. */
private[file] trait OpenRecords[+R] extends AutoCloseable {

  def split: FileSplit

  /** Moves to the next record; false when the split has no more records. */
  def advance(): Boolean

  def record: R

  /** The start of the record, if known. */
  def begins: Option[Long]

  /** The start of a split after the record: an offset, or a number. `None` in the middle of a batch. */
  def passed: Option[Long]

  /** The number of stored bytes before [[passed]], counted from any fixed position. */
  def storedBytes: Long

  /** Whether no record follows. The current record is no longer valid. */
  def isAtEnd: Boolean
}

private[file] object OpenRecords {

  /** Records of a reader that reports its positions.
    *
    * @param isBetween whether reading can resume after the record: false in the middle of a batch
    */
  final class ByPosition[R](
      val split: FileSplit,
      reader: PositionedReader[R],
      isBetween: () => Boolean
  ) extends OpenRecords[R] {
    // Positions of the current record, if known. Separate fields, because no object is created for each
    // record.
    private var before        = reader.position
    private var beforeIsKnown = true
    private var behind        = before
    private var behindIsKnown = true

    // The reader is at a record that was not requested yet.
    private var isWaiting = false

    override def advance(): Boolean = (isWaiting || reader.advance()) && {
      isWaiting = false
      before = behind
      beforeIsKnown = behindIsKnown
      behindIsKnown = isBetween()
      if (behindIsKnown) behind = reader.position
      true
    }

    override def record: R            = reader.record
    override def begins: Option[Long] = Option.when(beforeIsKnown)(before)
    override def passed: Option[Long] = Option.when(behindIsKnown)(behind)
    override def storedBytes: Long    = behind

    override def isAtEnd: Boolean = {
      if (!isWaiting) isWaiting = reader.advance()
      !isWaiting
    }

    override def close(): Unit = reader.close()
  }

  /** Records of a file that is read from its start. */
  final class ByNumber[R](
      val split: FileSplit,
      reader: RecordReader[R],
      stored: () => Long
  ) extends OpenRecords[R] {
    private var count     = 0L // number of records up to the current record
    private var isWaiting = false
    private val positions = reader match {
      case positioned: PositionedReader[R] => () => Some(positioned.position)
      case _                               => () => None
    }
    private var began: Option[Long] = None

    override def advance(): Boolean = isMore && {
      isWaiting = false
      count += 1
      true
    }

    override def record: R            = reader.record
    override def begins: Option[Long] = began
    override def passed: Option[Long] = Some(count)
    override def storedBytes: Long    = stored()
    override def isAtEnd: Boolean     = !isMore

    override def close(): Unit = reader.close()

    private def isMore: Boolean = {
      while (count < split.extent.from && step()) count += 1
      if (!isWaiting && count < split.extent.until) isWaiting = step()
      isWaiting
    }

    private def step(): Boolean = {
      began = positions()
      reader.advance()
    }
  }

  /** Returns the records of a reader of batches. */
  def ofBatches[R](split: FileSplit, reader: BulkReader[R]): OpenRecords[R] = {
    val records = new Batches(reader)
    new ByPosition(split, records, () => records.isBetween)
  }

  private final class Batches[R](reader: BulkReader[R]) extends PositionedReader[R] {
    private var batch: Iterator[R] = Iterator.empty
    private var current: R         = _
    private var over               = false

    override def advance(): Boolean = {
      while (!over && !batch.hasNext) reader.readBatch() match {
        case Some(next) => batch = next
        case None       => over = true
      }
      !over && {
        current = batch.next()
        true
      }
    }

    override def record: R      = current
    def isBetween: Boolean      = !batch.hasNext
    override def position: Long = reader.position
    override def close(): Unit  = reader.close()
  }

  /** Counts the bytes that are read from the storage. */
  final class StoredBytes {
    private var counted = 0L

    def count: Long = counted

    def of(raw: InputStream): InputStream = new FilterInputStream(raw) {
      override def read(): Int = {
        val one = raw.read()
        if (one >= 0) add(1)
        one
      }

      /** Reads the full length: decoders of truncated files must not depend on a storage's block sizes. */
      override def read(bytes: Array[Byte], offset: Int, length: Int): Int = {
        val some = raw.readNBytes(bytes, offset, length)
        add(some.toLong)
        if (some == 0 && length > 0) -1 else some
      }

      override def skip(bytes: Long): Long = {
        val some = raw.skip(bytes)
        add(some)
        some
      }
    }

    private def add(bytes: Long): Unit = counted += bytes
  }
}
