// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.{FilterInputStream, InputStream}

import stoplog.source.format._

/** The records of one split, while they are read. */
private[file] trait OpenRecords[+R] extends AutoCloseable {

  def split: FileSplit

  /** Goes to the next record; false when the split has no more. */
  def advance(): Boolean

  def record: R

  /** The beginning of the record, if that is known. */
  def begins: Option[Long]

  /** The beginning of a split that goes on behind the record: an offset, or a number. None in the middle of a batch. */
  def passed: Option[Long]

  /** The stored bytes before that, counted from anywhere. */
  def storedBytes: Long

  /** Whether no record follows. The one at hand is no longer valid. */
  def isAtEnd: Boolean
}

private[file] object OpenRecords {

  /** Records of a reader that tells its positions.
    *
    * @param isBetween whether reading can go on behind the record: not in the middle of a batch
    */
  final class ByPosition[R](
      val split: FileSplit,
      reader: PositionedReader[R],
      isBetween: () => Boolean
  ) extends OpenRecords[R] {
    // Positions of the record at hand, if they are known; kept apart, as no object is to be made for each record.
    private var before        = reader.position
    private var beforeIsKnown = true
    private var behind        = before
    private var behindIsKnown = true

    // The reader is at a record that has not been asked for.
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

  /** Records of a file that is read from its beginning. */
  final class ByNumber[R](
      val split: FileSplit,
      reader: RecordReader[R],
      stored: () => Long
  ) extends OpenRecords[R] {
    private var count     = 0L // of the records up to the one at hand
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

  /** The records of a reader of batches. */
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

  /** Counts the bytes that are read of the storage. */
  final class StoredBytes {
    private var counted = 0L

    def count: Long = counted

    def of(raw: InputStream): InputStream = new FilterInputStream(raw) {
      override def read(): Int = {
        val one = raw.read()
        if (one >= 0) add(1)
        one
      }

      /** As much as is wanted: a decoder of a file that breaks off must not depend on how a storage cuts it. */
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
