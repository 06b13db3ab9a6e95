// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.compact.Compactor
import stoplog.part.BlockOutput

/** A format whose files consist of blocks and a tail that lists the blocks: Parquet's row groups and footer,
  * ORC's stripes and footer.
  *
  * A part stays open across epochs. Rows that do not fill a block are spooled. Once there are enough rows, a
  * short-lived [[BlockWriter]] writes these rows as one block. Each block passes the metadata of all blocks
  * so far to the next block as bytes in a format-defined form, the ''directory''. The directory is the only
  * input for the tail. So another task, in another process, can resume the part years later.
  *
  * A format is created on the driver, sent to each task by Java serialization, and opened there once. A
  * format is used by one thread at a time.
  */
trait BlockFormat extends BulkWriters {

  /** Returns the suffix of part names in this format, including the dot; empty for none. */
  def suffix: String

  /** Prepares the format. stoplog calls this method once, before all others except [[suffix]].
    *
    * @param schema the columns of the rows, without Hive-style partition columns
    */
  def open(schema: StructType): Unit

  /** Returns all information for another process to recreate this format, even years later. Called before
    * [[open]].
    *
    * Not called for a user-defined format named by its class: the constructor without arguments, or for the
    * parameters in the option, recreates the format. A format given as an instance is recreated by a public
    * constructor with this string as argument. Without such a constructor, a query can resume the parts of
    * this format only if the query's instance returns the same description.
    */
  def describe: String

  /** Returns whether rows of an open part may be spooled as they are. If not, for example because the format
    * encrypts rows, every part ends with its epoch.
    */
  def mayKeepRows: Boolean = true

  /** Returns the size of a block in bytes, as counted by [[BlockWriter.bufferedBytes]]; greater than 0. A
    * format without blocks returns `Long.MaxValue`: all rows of a part are then spooled until the part ends.
    */
  def blockBytes: Long

  /** Returns the size in bytes, as counted by [[BlockWriter.encodedBytes]], from which a block ends with its
    * epoch. Only the rows of the current epoch count towards this size. Rows of such an epoch need not wait,
    * and are encoded once. Below this size, rows wait until they fill [[blockBytes]]. By default no block
    * ends with its epoch.
    */
  def largeBytes: Long = Long.MaxValue

  /** Starts a block at the position of `out`, which is 0 for the first block of a part.
    *
    * @param directory the result of the part's last [[BlockWriter.finish]]; empty for the first block
    */
  def block(out: BlockOutput, directory: Array[Byte]): BlockWriter

  /** Writes the tail of the file, after the last block. */
  def end(out: BlockOutput, directory: Array[Byte]): Unit

  /** Returns the compactor for files of this format; `None` if only the user can name a compactor. */
  def compactor: Option[Compactor] = None
}

/** Writes one block. No bytes may reach the output before [[finish]]: the block may still be given up. */
trait BlockWriter extends AutoCloseable {

  /** Adds one row. The row and its values are valid only during the call: copy the values to keep. */
  def write(row: InternalRow): Unit

  /** Returns the current size of the block, as measured by the format. May cost as much as a row. */
  def bufferedBytes: Long

  /** Returns the current size of the block, encoded and before compression, as the file will report the size
    * to readers. May cost as much as a row. By default the same as [[bufferedBytes]].
    */
  def encodedBytes: Long = bufferedBytes

  /** Writes the block. Returns the directory of this and all preceding blocks, for the tail of the part. */
  def finish(): Array[Byte]

  /** Releases resources. If [[finish]] was not called, the block is given up. */
  def close(): Unit
}

/** A user-defined bulk format: a [[BulkWriterFactory]], or a [[BlockFormat]] for full control. */
trait BulkWriters extends Serializable

/** Creates writers that encode many rows together, one writer per part: the counterpart of Flink's
  * `BulkWriter.Factory`.
  *
  * A part stays open across micro-batches nevertheless: its rows are spooled until the part ends, and a
  * single writer then writes all rows. A format with blocks needs less spooling: see [[BlockFormat]].
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
  * A factory is created on the driver, sent to each task by Java serialization, and opened there once. Open
  * parts record the class name of the factory. If the factory was given as an instance, only a query with an
  * instance of the same class can end these parts. If the class was named, tools can end these parts too.
  */
trait BulkWriterFactory extends BulkWriters {

  /** Returns the suffix of part names, including the dot; empty for none. */
  def suffix: String = ""

  /** Prepares the factory. stoplog calls this method once, before [[create]].
    *
    * @param schema the columns of the rows, without Hive-style partition columns
    */
  def open(schema: StructType): Unit = ()

  /** Returns a writer for one whole part. `out` is buffered and must not be closed. */
  def create(out: BlockOutput): BulkWriter
}

/** Writes one part. */
trait BulkWriter extends AutoCloseable {

  /** Adds one row. The row and its values are valid only during the call: copy the values to keep. */
  def write(row: InternalRow): Unit

  /** Returns an estimate of the bytes still to be written if [[finish]] were called now. */
  def bufferedBytes: Long

  /** Writes all remaining bytes. */
  def finish(): Unit

  /** Releases resources. If [[finish]] was not called, the part is given up. */
  def close(): Unit
}
