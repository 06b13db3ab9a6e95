// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import stoplog.part.BlockOutput

/** A user's own bulk format: a [[BulkWriterFactory]], or a [[BulkFormat]] where more is to be said. */
trait BulkWriters extends Serializable

/** Makes writers that encode many rows together, one writer for each part: the counterpart of Flink's
  * `BulkWriter.Factory`.
  *
  * A part stays open across micro-batches all the same. Its rows are kept beside it until it ends, and are then written
  * by one writer. A format that can write its files in blocks gets by with less: see [[BulkFormat]].
  *
  * {{{
  * class CountingFactory extends BulkWriterFactory {
  *   override def suffix: String = ".count"
  *   override def create(out: BlockOutput): BulkWriter = new BulkWriter {
  *     private var rows = 0L
  *     override def write(row: InternalRow): Unit = rows += 1
  *     override def bufferedBytes: Long = 8
  *     override def finish(): Unit = out.write(s"$rows\n".getBytes("UTF-8"))
  *     override def close(): Unit = ()
  *   }
  * }
  * }}}
  *
  * Made on the driver, sent to every task by Java serialization, opened there once. Parts that are open name its class. If
  * it was given as an instance, only a query that is given one of the same class can end them; tools can, if its class was
  * named.
  */
trait BulkWriterFactory extends BulkWriters {

  /** The end of the name of a part, with its dot; empty for none. */
  def suffix: String = ""

  /** Called once before [[create]].
    *
    * @param schema the columns of the rows (Hive-style partition columns left out)
    */
  def open(schema: StructType): Unit = ()

  /** A writer for one whole part. `out` is buffered; do not close it. */
  def create(out: BlockOutput): BulkWriter
}

/** Writes one part. */
trait BulkWriter extends AutoCloseable {

  /** Takes one row, which must not be kept: it is reused. */
  def write(row: InternalRow): Unit

  /** Roughly how many bytes it would write if it were finished now, those that it has written left out. */
  def bufferedBytes: Long

  /** Writes all that is still to be written. */
  def finish(): Unit

  /** Frees what it holds. Without [[finish]] before it, the part is given up. */
  def close(): Unit
}

/** A format without blocks as one whose parts are one block. */
private[stoplog] final class WholeParts(factory: BulkWriterFactory) extends BulkFormat {

  override def suffix: String                              = factory.suffix
  override def open(schema: StructType): Unit              = factory.open(schema)
  override def describe: String                            = ""
  override def blockBytes: Long                            = Long.MaxValue
  override def end(out: BlockOutput, d: Array[Byte]): Unit = ()

  override def block(out: BlockOutput, directory: Array[Byte]): BlockWriter = new BlockWriter {
    private val start  = out.position
    private val writer = factory.create(out)

    override def write(row: InternalRow): Unit = writer.write(row)
    override def bufferedBytes: Long           = out.position - start + writer.bufferedBytes
    override def close(): Unit                 = writer.close()
    override def finish(): Array[Byte]         = {
      writer.finish()
      Array.emptyByteArray
    }
  }
}
