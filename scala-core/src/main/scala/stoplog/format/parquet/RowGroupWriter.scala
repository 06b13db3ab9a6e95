// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.format.bulk.BlockWriter

/** Writes a block of Spark rows: a row group with the settings of Spark's sink.
  *
  * @param limitBytes as counted by [[stoplog.format.bulk.BlockWriter.bufferedBytes]]
  * @param limitRows  the number of rows from which the block counts as full, regardless of its size
  */
private[parquet] final class RowGroupWriter(group: RowGroup[InternalRow], limitBytes: Long, limitRows: Int)
    extends BlockWriter {

  override def write(row: InternalRow): Unit = group.write(row)

  override def bufferedBytes: Long = {
    val bytes = group.bufferedBytes
    if (group.rows < limitRows) bytes else math.max(bytes, limitBytes)
  }

  override def encodedBytes: Long    = group.encodedBytes
  override def finish(): Array[Byte] = group.finish()
  override def close(): Unit         = group.close()
}

private[parquet] object RowGroupWriter {

  /** @param directory the tail of the preceding row groups */
  def apply(
      file: RowGroupFile,
      schema: StructType,
      conf: Configuration,
      metadata: Map[String, String],
      directory: Array[Byte],
      limitBytes: Long
  ): RowGroupWriter = {
    val group     = new RowGroup(file, new FlatWriteSupport(schema), conf, metadata, directory)
    val limitRows = conf.getInt("parquet.block.row.count.limit", Int.MaxValue)
    new RowGroupWriter(group, limitBytes, limitRows)
  }
}
