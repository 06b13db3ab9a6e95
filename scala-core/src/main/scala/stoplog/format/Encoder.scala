// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.OutputStream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

/** Encodes one row at a time: the row format of a sink.
  *
  * An encoder is created on the driver, sent to each task by Java serialization, and opened there once. The
  * thread of the task then uses the encoder for all of its parts. An encoder may keep scratch buffers, but no
  * state of a single part. The bytes written between two calls must be self-contained: a part can be
  * truncated to the end of any committed epoch and continued by another process.
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

  /** Returns the suffix of part names in this format, including the dot; empty for none. */
  def suffix: String = ""

  /** Prepares the encoder. Each task calls this method once, before any other method.
    *
    * @param schema the columns of the rows passed to [[encode]], without Hive-style partition columns
    */
  def open(schema: StructType): Unit = ()

  /** Writes the start of a part, for example a CSV header. Called once in the life of a part, and not called
    * when a part is resumed.
    */
  def begin(out: OutputStream): Unit = ()

  /** Appends one row. Spark reuses the row object, so an encoder must not keep the row.
    *
    * `out` is buffered and must not be closed. An exception fails the task, and its bytes are discarded. With
    * `onBadRow` = `reject`, an exception rejects only this row: nothing of the row is written, and the
    * encoder receives the next row.
    */
  def encode(row: InternalRow, out: OutputStream): Unit
}
