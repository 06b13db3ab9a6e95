// SPDX-License-Identifier: Apache-2.0
package stoplog.source.format

/** A format that is read in batches, with positions between the records. */
private sealed trait AdaptedFormat[R] extends Serializable {
  def isSplittable: Boolean

  def reader(file: FileInput, from: Long, until: Long): PositionedReader[R]

  /** How many records a batch has at most.
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
