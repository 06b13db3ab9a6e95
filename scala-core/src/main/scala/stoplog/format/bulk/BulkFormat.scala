// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.compact.Compactor
import stoplog.part.BlockOutput

/** A format whose files are made of blocks, and of an end that lists them: Parquet's row groups and footer, ORC's
  * stripes and footer.
  *
  * A part stays open across epochs. Rows that do not fill a block are spooled, and when there are enough of them they
  * are written as one block, by a [[BlockWriter]] that lives no longer than that. The facts of earlier blocks go from
  * one to the next as a text of the format's own, the ''directory'', and the end is written from that alone. So another
  * task may go on with the same part, in another process, years later.
  *
  * Made on the driver, sent to every task by Java serialization, opened there once, and used by one thread at a time.
  */
trait BulkFormat extends BulkWriters {

  /** The end of the name of a part in this format, with its dot; empty for none. */
  def suffix: String

  /** Prepares the format; stoplog calls it once, before any other method but [[suffix]].
    *
    * @param schema the columns of the rows (Hive-style partition columns left out)
    */
  def open(schema: StructType): Unit

  /** All that another process needs to make this format again, years later; asked before [[open]].
    *
    * Of a user's own that is named by its class it is not asked: its constructor without arguments makes it again. One
    * that is given as an instance is made again by a public constructor that takes this text. Without such a
    * constructor, only a query whose instance answers the same here can go on with the parts of this one.
    */
  def describe: String

  /** Whether the rows of an open part may be spooled as they are. If not, as where the format encrypts them, every part
    * ends with its epoch.
    */
  def mayKeepRows: Boolean = true

  /** The size of a block, in bytes as [[BlockWriter.bufferedBytes]] counts them; more than 0. `Long.MaxValue`
    * for a format that knows no blocks: all rows of a part are then spooled until it ends.
    */
  def blockBytes: Long

  /** From this size on, in bytes as [[BlockWriter.encodedBytes]] counts them, a block ends with its epoch if the rows of this
    * epoch alone bring it so far. They need not wait for more then, and are encoded once. Below it they wait until they fill
    * [[blockBytes]]. By default no block ends with its epoch.
    */
  def largeBytes: Long = Long.MaxValue

  /** Starts a block at the position of `out`, which is 0 for the first block of a part.
    *
    * @param directory the answer of this part's last [[BlockWriter.finish]]; empty for the first block
    */
  def block(out: BlockOutput, directory: Array[Byte]): BlockWriter

  /** Writes the end of the file, after the last block. */
  def end(out: BlockOutput, directory: Array[Byte]): Unit

  /** The compactor of files of this format; `None` if only the user can name one. */
  def compactor: Option[Compactor] = None
}

/** Writes one block. Nothing may reach the output before [[finish]], since a block may still be given up. */
trait BlockWriter extends AutoCloseable {

  /** Takes one row, which must not be kept: it is reused. */
  def write(row: InternalRow): Unit

  /** The size of the block by now, as the format measures it. May cost as much as a row. */
  def bufferedBytes: Long

  /** The size of the block by now as encoded and before compression, as the file will tell it to readers. May cost as much
    * as a row. By default the same as [[bufferedBytes]].
    */
  def encodedBytes: Long = bufferedBytes

  /** Writes the block. Answers the directory of it, and of all before it, for the end of the part. */
  def finish(): Array[Byte]

  /** Frees what it holds. Without [[finish]] before it, the block is given up. */
  def close(): Unit
}

/** A user's own bulk format: a [[BulkWriterFactory]], or a [[BulkFormat]] where more is to be said. */
trait BulkWriters extends Serializable

/** Makes writers that encode many rows together, one writer for each part: the counterpart of Flink's
  * `BulkWriter.Factory`.
  *
  * A part stays open across micro-batches all the same. Its rows are spooled until it ends, and are then written
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

  /** Prepares the factory; stoplog calls it once, before [[create]].
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
