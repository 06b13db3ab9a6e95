// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

import stoplog.commit.BadRow
import stoplog.error.Errors

/** Whether rows can be written, found out when they come. For one task.
  *
  * A row waits for its block, which may be written in a later epoch, by another process. To be rejected in its own
  * epoch it has to be tried before it waits.
  */
private[bulk] sealed trait RowChecks {

  /** Before a row waits for a block that nobody fills yet. Throws [[BadRow]]. */
  def beforeWaiting(row: UnsafeRow): Unit

  /** Before a row goes straight into a block. Throws [[BadRow]]. */
  def beforeBlock(row: UnsafeRow): Unit

  /** A block refused a row. It can take no other, and its rows have to be encoded again. */
  def refused(): Unit
}

private[bulk] object RowChecks {

  /** A row that cannot be written fails the task that comes upon it. */
  case object Omitted extends RowChecks {
    override def beforeWaiting(row: UnsafeRow): Unit = ()
    override def beforeBlock(row: UnsafeRow): Unit   = ()
    override def refused(): Unit                     = ()
  }

  /** Rows that wait are encoded once more than they need be. Those that go straight into a block are not, until the
    * first one is refused: from then on a block would have to be made anew for each.
    */
  final class Each(format: BulkFormat) extends RowChecks {
    private[this] var trial  = Option.empty[BlockWriter]
    private[this] var count  = 0L
    private[this] var wasBad = false

    override def beforeWaiting(row: UnsafeRow): Unit = {
      val writer = trial.getOrElse(begin())
      try writer.write(row)
      catch { case e: Throwable => end(); wasBad = true; BadRow.unless(throw e) }
      count += 1
      if (count % RowsBetweenLooks == 0 && writer.bufferedBytes > MostBytes) end()
    }

    override def beforeBlock(row: UnsafeRow): Unit = if (wasBad) beforeWaiting(row)

    override def refused(): Unit = wasBad = true

    private def begin(): BlockWriter = {
      val writer = format.block(new NullOutput, Array.emptyByteArray)
      trial = Some(writer)
      count = 0
      writer
    }

    private def end(): Unit = {
      trial.foreach(_.close())
      trial = Option.empty
    }

    private final val RowsBetweenLooks = 1000L
    private final val MostBytes        = 4L << 20
  }

  /** Columns that are never null, as Spark was told: a null among them would be taken for a value, or lost. */
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
