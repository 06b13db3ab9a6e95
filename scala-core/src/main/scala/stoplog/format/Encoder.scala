// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.OutputStream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

/** Turns one row at a time into bytes: the row format of a sink.
  *
  * An encoder is made on the driver, sent to every task by Java serialization, opened there once, and then
  * used by that one task's thread for all of its parts. It may therefore keep scratch buffers, but nothing
  * that belongs to one part: whatever it writes between two calls must stand on its own, because a part can
  * be cut back to the end of any committed epoch and continued by another process.
  *
  * {{{
  * class KeyValueEncoder extends Encoder {
  *   override def suffix: String = ".kv"
  *   override def encode(row: InternalRow, out: OutputStream): Unit = {
  *     row.getUTF8String(0).writeTo(out); out.write('=')
  *     row.getUTF8String(1).writeTo(out); out.write('\n')
  *   }
  * }
  * }}}
  */
trait Encoder extends Serializable {

  /** The end of the name of a part in this format, with its dot; empty for none. */
  def suffix: String = ""

  /** Prepares the encoder; each task calls it once, before any other method.
    *
    * @param schema
    *   the columns of the rows that [[encode]] gets (Hive-style partition columns left out)
    */
  def open(schema: StructType): Unit = ()

  /** Writes what a part starts with (a CSV header, say). Called once in the life of a part, never on
    * resuming.
    */
  def begin(out: OutputStream): Unit = ()

  /** Appends one row. The row object is reused by Spark and must not be kept.
    *
    * `out` is buffered; do not close it. An exception fails the task, whose bytes are then discarded; with
    * `onBadRow` = `reject` it rejects this row, of which nothing is written, and the encoder is given the next one.
    */
  def encode(row: InternalRow, out: OutputStream): Unit
}
