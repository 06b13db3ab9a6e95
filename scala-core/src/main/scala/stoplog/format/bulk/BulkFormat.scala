// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.part.BlockOutput
import stoplog.compact.Compactor

/** A format whose files are made of blocks, and of an end that lists them: Parquet's row groups and footer, ORC's
  * stripes and footer.
  *
  * A part stays open across epochs. Rows that do not fill a block are kept beside it, and when there are enough of
  * them they are written as one block, by a [[BlockWriter]] that lives no longer than that. What earlier blocks left
  * to be known goes from one to the next as a text of the format's own, the ''directory'', and the end is written
  * from that alone. So the same part may be gone on with by another task, in another process, years later.
  *
  * Made on the driver, sent to every task by Java serialization, opened there once, and used by one thread at a time.
  */
trait BulkFormat extends BulkWriters {

  /** The end of the name of a part in this format, with its dot; empty for none. */
  def suffix: String

  /** Called once before any other method but [[suffix]].
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

  /** Whether rows may be kept beside an open part as they are. If not, as where the format encrypts them, every part
    * ends with its epoch.
    */
  def mayKeepRows: Boolean = true

  /** How large a block is to be, in bytes as [[BlockWriter.bufferedBytes]] counts them; more than 0. `Long.MaxValue`
    * for a format that knows no blocks: all rows of a part are then kept beside it until it ends.
    */
  def blockBytes: Long

  /** Starts a block at the position of `out`, which is 0 for the first block of a part.
    *
    * @param directory what the last [[BlockWriter.finish]] of this part answered; empty for the first block
    */
  def block(out: BlockOutput, directory: Array[Byte]): BlockWriter

  /** Writes what comes after the last block. */
  def end(out: BlockOutput, directory: Array[Byte]): Unit

  /** The compactor of files of this format; `None` if nothing does but what the user names. */
  def compactor: Option[Compactor] = None
}

/** Writes one block. Nothing may reach the output before [[finish]], since a block may still be given up. */
trait BlockWriter extends AutoCloseable {

  /** Takes one row, which must not be kept: it is reused. */
  def write(row: InternalRow): Unit

  /** How much the block holds by now, as the format measures the size of blocks. May cost as much as a row. */
  def bufferedBytes: Long

  /** Writes the block. Answers what has to be known of it, and of all before it, to end the part. */
  def finish(): Array[Byte]

  /** Frees what it holds. Without [[finish]] before it, the block is given up. */
  def close(): Unit
}
