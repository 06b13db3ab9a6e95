// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

import stoplog.error.{Errors, StoplogException}
import stoplog.writing.BadRow

/** Checks on arrival whether rows can be written. For one task.
  *
  * A row waits for its block, which may be written in a later epoch, by another process. A row that its block
  * rejects then is committed already: neither the part nor the query can end. So a row MUST NOT wait before
  * the format of its part has accepted the values.
  */
private[bulk] sealed trait RowChecks {

  /** Checks a row before it waits for a block that is not started yet. Throws [[BadRow]].
    *
    * @param part the sink with which the part was started, which may have had other settings
    */
  def beforeWaiting(row: UnsafeRow, part: PartLimits): Unit

  /** Checks a row before it is added to a block directly. Throws [[BadRow]]. */
  def beforeBlock(row: UnsafeRow): Unit

  /** Called when a block rejects a row. The block is then unusable, and its rows must be encoded again. */
  def refused(): Unit

  /** Releases resources. */
  def close(): Unit
}

private[bulk] object RowChecks {

  /** Checks the values. Any other row that cannot be written fails the task that encodes the row. */
  case object OfValues extends RowChecks {
    override def beforeWaiting(row: UnsafeRow, part: PartLimits): Unit = part.check(row)
    override def beforeBlock(row: UnsafeRow): Unit                     = ()
    override def refused(): Unit                                       = ()
    override def close(): Unit                                         = ()
  }

  /** Encodes waiting rows one additional time. Rows added to a block directly are not encoded twice before
    * the first rejection. After the first rejection they are, because otherwise the block would have to be
    * rebuilt for each rejected row.
    */
  final class Each(format: BlockFormat) extends RowChecks {
    private[this] var trial  = Option.empty[BlockWriter]
    private[this] var looks  = new SizeLooks(TrialBytes)
    private[this] var wasBad = false

    override def beforeWaiting(row: UnsafeRow, part: PartLimits): Unit = {
      part.check(row)
      encode(row)
    }

    override def beforeBlock(row: UnsafeRow): Unit = if (wasBad) encode(row)

    override def refused(): Unit = wasBad = true

    override def close(): Unit = end()

    private def encode(row: UnsafeRow): Unit = {
      val writer = trial.getOrElse(begin())
      try writer.write(row)
      catch { case e: Throwable => end(); wasBad = true; BadRow.unless(throw e) }
      if (looks.isFullWith(row.getSizeInBytes.toLong)(writer.bufferedBytes)) end()
    }

    private def begin(): BlockWriter = {
      val writer = format.block(new NullOutput, Array.emptyByteArray)
      trial = Some(writer)
      looks = new SizeLooks(TrialBytes)
      writer
    }

    private def end(): Unit = {
      trial.foreach(_.close())
      trial = Option.empty
    }

    private final val TrialBytes = 4L << 20
  }

  /** Columns declared non-nullable to Spark. A null in such a column would be read as a value, or lost. */
  final class Required(schema: StructType) {
    private[this] val ordinals = schema.indices.filterNot(schema(_).nullable).toArray

    /** Throws [[BadRow]]. */
    def check(row: InternalRow): Unit = {
      var i = 0
      while (i < ordinals.length) {
        if (row.isNullAt(ordinals(i))) throw new BadRow(Errors.nullRequired(schema(ordinals(i)).name))
        i += 1
      }
    }
  }
}

/** The values that the format of one part can store.
  *
  * @param strict rejects each row that any settings of the format reject; `None` if the format stores all
  *               values. A row that passes needs no other check, so that the settings of the part, which are
  *               in a spool file, are read for few rows
  * @param exact  rejects the rows that the part cannot store; called if `strict` rejects a row
  */
private[bulk] final class PartLimits(
    strict: Option[InternalRow => Unit],
    exact: => Option[InternalRow => Unit]
) {

  /** Throws [[BadRow]]. */
  def check(row: InternalRow): Unit =
    if (strict.isDefined && !passes(row)) BadRow.unless(exact.foreach(_(row)))

  private def passes(row: InternalRow): Boolean =
    try {
      strict.get(row)
      true
    } catch { case _: StoplogException => false }
}
