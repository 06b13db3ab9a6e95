// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetWriter
import org.apache.spark.sql.catalyst.InternalRow

import stoplog.format.bulk.BlockWriter

/** One row group, by a writer of its own.
  *
  * @param directory
  *   the tail of the row groups before it
  */
private[parquet] final class RowGroupWriter(
    writer: ParquetWriter[InternalRow],
    file: RowGroupFile,
    directory: Array[Byte],
    limit: RowGroupLimit
) extends BlockWriter {

  private var rows     = 0L
  private var isClosed = false

  override def write(row: InternalRow): Unit = {
    writer.write(row)
    rows += 1
  }

  override def bufferedBytes: Long = {
    val bytes = writer.getDataSize
    if (rows < limit.rows) bytes else math.max(bytes, limit.bytes)
  }

  override def finish(): Array[Byte] = {
    isClosed = true
    file.release()
    writer.close()
    val tail = file.tail()
    if (rows == 0 && directory.nonEmpty) directory else Tail.append(directory, tail)
  }

  override def close(): Unit =
    if (!isClosed) {
      isClosed = true
      file.giveUp()
      writer.close() // gives compressors back, at the price of encoding what nobody will see
    }
}

/** The limits of a row group.
  *
  * @param bytes
  *   as [[stoplog.format.bulk.BlockWriter.bufferedBytes]] counts them
  * @param rows
  *   after these it counts as full, whatever it holds
  */
private[parquet] final case class RowGroupLimit(bytes: Long, rows: Int)

private[parquet] object RowGroupLimit {

  def apply(bytes: Long, conf: Configuration): RowGroupLimit =
    RowGroupLimit(bytes, conf.getInt("parquet.block.row.count.limit", Int.MaxValue))
}
