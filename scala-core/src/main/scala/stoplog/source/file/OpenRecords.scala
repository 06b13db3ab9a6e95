// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.source.format._

/** The records of one split, while they are read. */
private[file] trait OpenRecords[+R] extends AutoCloseable {

  def split: FileSplit

  /** Goes to the next record; false when the split has no more. */
  def advance(): Boolean

  def record: R

  /** The beginning of the record, if that is known. */
  def begins: Option[Long]

  /** Where a split has to begin that goes on behind the record: an offset, or a number. None in the middle of a batch. */
  def passed: Option[Long]

  /** How much of what is stored lies before that, counted from anywhere. */
  def storedBytes: Long

  /** Whether no record follows. The one at hand is no longer valid. */
  def isAtEnd: Boolean
}

/** Records of a reader that tells its positions. */
private[file] final class ByPosition[R](val split: FileSplit, steps: Steps[R]) extends OpenRecords[R] {
  // Of the record at hand, if they are known; kept apart, as nothing is to be made for each record.
  private var before        = steps.position
  private var beforeIsKnown = true
  private var behind        = before
  private var behindIsKnown = true

  // The reader is at a record that has not been asked for.
  private var isWaiting = false

  override def advance(): Boolean = (isWaiting || steps.advance()) && {
    isWaiting = false
    before = behind
    beforeIsKnown = behindIsKnown
    behindIsKnown = steps.isBetween
    if (behindIsKnown) behind = steps.position
    true
  }

  override def record: R            = steps.record
  override def begins: Option[Long] = Option.when(beforeIsKnown)(before)
  override def passed: Option[Long] = Option.when(behindIsKnown)(behind)
  override def storedBytes: Long    = behind

  override def isAtEnd: Boolean = {
    if (!isWaiting) isWaiting = steps.advance()
    !isWaiting
  }

  override def close(): Unit = steps.close()
}

/** Records of a file that is read from its beginning. */
private[file] final class ByNumber[R](
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

/** A reader of records or of batches, as one of records. */
private[file] trait Steps[+R] extends RecordReader[R] {

  /** Whether reading can go on behind the record: not in the middle of a batch. */
  def isBetween: Boolean

  /** Where, if it can. */
  def position: Long
}

private[file] object Steps {
  def of[R](reader: PositionedReader[R]): Steps[R] = new Steps[R] {
    override def advance(): Boolean = reader.advance()
    override def record: R          = reader.record
    override def isBetween: Boolean = true
    override def position: Long     = reader.position
    override def close(): Unit      = reader.close()
  }

  def of[R](reader: BulkReader[R]): Steps[R] = new Steps[R] {
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

    override def record: R          = current
    override def isBetween: Boolean = !batch.hasNext
    override def position: Long     = reader.position
    override def close(): Unit      = reader.close()
  }
}
