// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{BinaryType, StructType}

import stoplog.source.RecordEmitter
import stoplog.source.format.{LengthDelimited, LengthPrefix}

/** Records that begin with their lengths, each as a row of one column `value`. */
private[stoplog] final class DelimitedRows(prefix: LengthPrefix, maxBytes: Int)
    extends LengthDelimited(prefix, maxBytes)
    with RowFormat[Array[Byte]] {

  override def schema: StructType = new StructType().add("value", BinaryType)

  override def emitter(wanted: StructType): RecordEmitter[Array[Byte], InternalRow] =
    if (wanted.isEmpty) new EmptyRows else (record, out) => out.put(InternalRow(record))
}
