// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.compression.CompressionCodecFactory
import org.apache.parquet.compression.CompressionCodecFactory.{BytesInputCompressor, BytesInputDecompressor}
import org.apache.parquet.hadoop.{CodecFactory, ParquetOutputFormat, ParquetWriter}
import org.apache.parquet.hadoop.api.WriteSupport.FinalizedWriteContext
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.parquet.ParquetWriteSupport

import stoplog.format.bulk.BlockWriter

/** One row group, by a writer of its own.
  *
  * @param codecs     count what the writer compresses
  * @param directory  the tail of the row groups before it
  * @param limitBytes as [[stoplog.format.bulk.BlockWriter.bufferedBytes]] counts them
  * @param limitRows  after these it counts as full, whatever it holds
  */
private[parquet] final class RowGroupWriter(
    writer: ParquetWriter[InternalRow],
    file: RowGroupFile,
    codecs: RowGroupWriter.CountingCodecs,
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

  /** The writer counts pages that are finished as they were compressed. */
  override def encodedBytes: Long = writer.getDataSize + codecs.savedBytes

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
  def apply(
      file: RowGroupFile,
      conf: Configuration,
      metadata: Map[String, String],
      directory: Array[Byte],
      limitBytes: Long
  ): RowGroupWriter = {
    val codecs = new CountingCodecs(conf)
    val writer = new PartWriterBuilder(file, new Support(file), conf)
      .withRowGroupSize(OutOfReach)
      .withExtraMetaData(metadata.asJava)
      .withCodecFactory(codecs)
      .build()
    val limitRows = conf.getInt("parquet.block.row.count.limit", Int.MaxValue)
    new RowGroupWriter(writer, file, codecs, directory, limitBytes, limitRows)
  }

  /** Spark's write support, which tells the file when the last page has been written. */
  private final class Support(file: RowGroupFile) extends ParquetWriteSupport {
    override def finalizeWrite(): FinalizedWriteContext = {
      file.endPages()
      super.finalizeWrite()
    }
  }

  // A row group ends when it is told to. Not the greatest number, since the writer adds to it.
  private val OutOfReach = 1L << 50

  /** parquet-hadoop's codecs, which count by how much they have made pages smaller. Of one writer, used by one thread. */
  final class CountingCodecs(conf: Configuration) extends CompressionCodecFactory {
    private[this] val codecs = new CodecFactory(conf, ParquetOutputFormat.getPageSize(conf))
    private[this] var saved  = 0L

    /** Bytes of pages before compression less those behind it. */
    def savedBytes: Long = saved

    override def getCompressor(codec: CompressionCodecName): BytesInputCompressor = {
      val compressor = codecs.getCompressor(codec)
      new BytesInputCompressor {
        override def compress(page: BytesInput): BytesInput = {
          val size       = page.size
          val compressed = compressor.compress(page)
          saved += size - compressed.size
          compressed
        }
        override def getCodecName: CompressionCodecName = compressor.getCodecName
        override def release(): Unit                    = compressor.release()
      }
    }

    override def getDecompressor(codec: CompressionCodecName): BytesInputDecompressor =
      codecs.getDecompressor(codec)

    override def release(): Unit = codecs.release()
  }
}
