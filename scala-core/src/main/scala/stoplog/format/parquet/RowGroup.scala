// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor
import org.apache.parquet.conf.HadoopParquetConfiguration
import org.apache.parquet.hadoop.{
  CodecFactory, ColumnChunkPageWriteStore, ParquetFileWriter, ParquetOutputFormat
}
import org.apache.parquet.hadoop.api.WriteSupport
import org.apache.parquet.hadoop.metadata.CompressionCodecName

/** One row group of a part. parquet-hadoop's columns encode and compress rows in memory, and [[finish]]
  * writes the row group.
  *
  * @param support   converts rows to columns
  * @param metadata  entries of the footer in addition to entries of `support`
  * @param directory the tail of the preceding row groups; empty for none
  */
private[parquet] class RowGroup[R](
    file: RowGroupFile,
    support: WriteSupport[R],
    conf: Configuration,
    metadata: Map[String, String],
    directory: Array[Byte]
) extends AutoCloseable {
  import RowGroup._

  private[this] val context = support.init(new HadoopParquetConfiguration(conf))
  private[this] val isFlat  =
    !ParquetOutputFormat.getValidation(conf) && RowConsumer.isFlat(context.getSchema)
  private[this] val ranges =
    if (isFlat) BinaryPageStatistics.of(context.getSchema, WriterProperties.of(conf))
    else BinaryPageStatistics.none
  private[this] val properties = WriterProperties.of(conf, withoutStatistics = ranges.columns)
  private[this] val out        = writer(file, context, conf, properties)
  private[this] val codecs     = new CodecFactory(conf, properties.getPageSizeThreshold)
  private[this] val compressor =
    new CountingCompressor(codecs.getCompressor(ParquetOutputFormat.getCompression(conf)))
  private[this] val pages = new ColumnChunkPageWriteStore(
    compressor,
    context.getSchema,
    properties.getAllocator,
    properties.getColumnIndexTruncateLength,
    properties.getPageWriteChecksumEnabled,
    out.getEncryptor,
    0 // the ordinal in this file; only used by encryption, and an encrypted part has one row group
  )
  private[this] val columns  = properties.newColumnWriteStore(context.getSchema, ranges.of(pages), pages)
  private[this] val consumer =
    if (isFlat) RowConsumer.flat(context.getSchema, columns, ranges.of(context.getSchema))
    else RowConsumer.nested(context.getSchema, columns, ParquetOutputFormat.getValidation(conf))
  support.prepareForWrite(consumer)

  private[this] var count  = 0L
  private[this] var isOver = false

  def rows: Long = count

  def write(row: R): Unit = {
    support.write(row)
    count += 1
  }

  /** The current size as in Spark's sink: finished pages by compressed size. May cost as much as a row. */
  def bufferedBytes: Long = columns.getBufferedSize

  /** The current size before compression, as the footer will report the size. */
  def encodedBytes: Long = columns.getBufferedSize + compressor.savedBytes

  /** Writes the row group. Returns the tail of the file if the file ended here. */
  def finish(): Array[Byte] =
    try {
      file.release()
      if (count > 0) {
        consumer.flush()
        out.startBlock(count)
        columns.flush()
        pages.flushToFileWriter(out)
        out.endBlock()
      }
      columns.close()
      file.endPages()
      out.end(entries.asJava)
      val tail = file.tail()
      if (count == 0 && directory.nonEmpty) directory else ParquetTail.append(directory, tail)
    } finally close()

  /** Releases resources. If [[finish]] was not called, no bytes of the row group reach the part. Columns that
    * are given up are not closed: closing would encode their rows, and all their memory is on the heap.
    */
  override def close(): Unit = if (!isOver) {
    isOver = true
    file.giveUp()
    try pages.close()
    finally codecs.release()
  }

  private def entries: Map[String, String] =
    context.getExtraMetaData.asScala.toMap ++ metadata ++
      Option(support.getName).map("writer.model.name" -> _) ++
      support.finalizeWrite().getExtraMetaData.asScala
}

private[parquet] object RowGroup {

  private def writer(
      file: RowGroupFile,
      context: WriteSupport.WriteContext,
      conf: Configuration,
      properties: ParquetProperties
  ): ParquetFileWriter = {
    val encryption = ParquetOutputFormat.createEncryptionProperties(conf, new Path(file.getPath), context)
    val out        = new ParquetFileWriter(
      file,
      context.getSchema,
      ParquetFileWriter.Mode.CREATE,
      OutOfReach,
      0, // no padding
      encryption,
      properties
    )
    out.start()
    out
  }

  // The caller ends a row group. Less than the maximum, because the writer adds to this number.
  private val OutOfReach = 1L << 50

  /** Counts the bytes saved by the compression of pages. Used by one thread. */
  private final class CountingCompressor(compressor: BytesInputCompressor) extends BytesInputCompressor {
    private[this] var saved = 0L

    /** The size of pages before compression minus their size after compression. */
    def savedBytes: Long = saved

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
