// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetWriter
import org.apache.parquet.hadoop.api.WriteSupport.FinalizedWriteContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.parquet.ParquetWriteSupport

import stoplog.format.bulk.BlockWriter

/** One row group, by a writer of its own.
  *
  * @param directory  the tail of the row groups before it
  * @param limitBytes as [[stoplog.format.bulk.BlockWriter.bufferedBytes]] counts them
  * @param limitRows  after these it counts as full, whatever it holds
  */
private[parquet] final class RowGroupWriter(
    writer: ParquetWriter[InternalRow],
    file: RowGroupFile,
    directory: Array[Byte],
    limitBytes: Long,
    limitRows: Int
) extends BlockWriter {

  private var rows     = 0L
  private var isClosed = false

  override def write(row: InternalRow): Unit = {
    writer.write(row)
    rows += 1
  }

  override def bufferedBytes: Long = {
    val bytes = writer.getDataSize
    if (rows < limitRows) bytes else math.max(bytes, limitBytes)
  }

  override def finish(): Array[Byte] = {
    isClosed = true
    file.release()
    writer.close()
    val tail = file.tail()
    if (rows == 0 && directory.nonEmpty) directory else ParquetTail.append(directory, tail)
  }

  override def close(): Unit =
    if (!isClosed) {
      isClosed = true
      file.giveUp()
      writer.close() // gives compressors back, at the price of encoding rows that are given up
    }
}

private[parquet] object RowGroupWriter {

  /** parquet-hadoop's writer of Spark's rows, with the settings of Spark's sink. */
  def writer(
      file: RowGroupFile,
      conf: Configuration,
      metadata: Map[String, String]
  ): ParquetWriter[InternalRow] =
    new PartWriterBuilder(file, new Support(file), conf)
      .withRowGroupSize(OutOfReach)
      .withExtraMetaData(metadata.asJava)
      .build()

  /** Spark's write support, which tells the file when the last page has been written. */
  private final class Support(file: RowGroupFile) extends ParquetWriteSupport {
    override def finalizeWrite(): FinalizedWriteContext = {
      file.endPages()
      super.finalizeWrite()
    }
  }

  // A row group ends when it is told to. Not the greatest number, since the writer adds to it.
  private val OutOfReach = 1L << 50
}
