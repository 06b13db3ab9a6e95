// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.format.bulk.BlockWriter

/** Writes a block of Spark rows: a row group with the settings of Spark's sink.
  *
  * @param directory  the tail of the preceding row groups
  * @param limitBytes as counted by [[stoplog.format.bulk.BlockWriter.bufferedBytes]]
  */
private[parquet] final class RowGroupWriter(
    file: RowGroupFile,
    schema: StructType,
    conf: Configuration,
    metadata: Map[String, String],
    directory: Array[Byte],
    limitBytes: Long
) extends RowGroup[InternalRow](file, new FlatWriteSupport(schema), conf, metadata, directory)
    with BlockWriter {

  // The number of rows from which the block counts as full, regardless of its size.
  private[this] val limitRows = conf.getInt("parquet.block.row.count.limit", Int.MaxValue)

  override def bufferedBytes: Long = {
    val bytes = super.bufferedBytes
    if (rows < limitRows) bytes else math.max(bytes, limitBytes)
  }

  override def encodedBytes: Long = super[RowGroup].encodedBytes
}
