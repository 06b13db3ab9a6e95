// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.part.BlockOutput
import stoplog.compact.Compactor

/** A format whose files are a header and then blocks that each stand on their own: Avro's container, SequenceFile.
  *
  * A part stays open across epochs. At the end of each the block begun is ended, so that the bytes so far are a whole
  * file, and nothing has to be kept beside it (I2). The next epoch goes on behind them, maybe in another process, and
  * must then use the same ''sync marker'' that the header promised to readers. It is therefore made of the part's
  * name, rather than drawn.
  *
  * Made on the driver, sent to every task by Java serialization, opened there once, and used by one thread at a time.
  */
trait SyncedFormat extends Serializable {

  /** The end of the name of a part in this format, with its dot; empty for none. */
  def suffix: String

  /** Called once before [[writer]].
    *
    * @param schema the columns of the rows (Hive-style partition columns left out)
    */
  def open(schema: StructType): Unit

  /** A writer at the end of the part: at position 0 of `out` it writes the header, elsewhere it goes on.
    *
    * @param name the part's name, the same in every epoch
    */
  def writer(out: BlockOutput, name: String): SyncedWriter

  /** All that another process needs to go on with a part of this format, as text: JSON, settled on the driver, so
    * that neither the options nor the session of a later run change what the header says.
    */
  def describe: String

  /** The compactor of files of this format. */
  def compactor: Option[Compactor] = None
}

/** Writes the rows of one part.
  *
  * {{{
  * val writer = format.writer(out, "part-7f3a-0")
  * try { rows.foreach(writer.write); writer.sync() }
  * finally writer.close()
  * }}}
  */
trait SyncedWriter extends AutoCloseable {

  /** Takes one row, which must not be kept: it is reused.
    *
    * @throws stoplog.commit.BadRow if it is the row that cannot be written; the writer is as it was before
    */
  def write(row: InternalRow): Unit

  /** Bytes of rows taken that the output does not have yet, before compression: an upper estimate. 0 after [[sync]]. */
  def bufferedBytes: Long

  /** Ends the block and hands all of it to the output, which then holds a whole file. Rows may follow. */
  def sync(): Unit

  /** Frees what it holds. Rows taken since the last [[sync]] and still buffered are given up. */
  def close(): Unit
}
