// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.hadoop.{ParquetFileReader, ParquetFileWriter, ParquetOutputFormat}
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.parquet.io.{InputFile, SeekableInputStream}

import stoplog.part.BlockOutput

/** Row groups of several files, byte by byte, in one. */
private[parquet] object ParquetCopy {

  def write(files: Seq[InputFile], footer: Footer, conf: Configuration, out: BlockOutput): Unit = {
    val writer = new ParquetFileWriter(
      new WholeFile(out),
      footer.schema,
      ParquetFileWriter.Mode.CREATE,
      ParquetOutputFormat.getLongBlockSize(conf),
      0,
      ParquetProperties.DEFAULT_COLUMN_INDEX_TRUNCATE_LENGTH,
      ParquetProperties.DEFAULT_STATISTICS_TRUNCATE_LENGTH,
      true
    )
    writer.start()
    files.foreach(append(_, writer))
    writer.end(footer.metadata.asJava)
  }

  private def append(file: InputFile, writer: ParquetFileWriter): Unit =
    Using.resources(ParquetFileReader.open(file), file.newStream()) { (reader, in) =>
      reader.getRowGroups.asScala.foreach(append(_, reader, in, writer))
    }

  /** Column by column, because a whole row group would be copied without its indexes and filters. */
  private def append(
      group: BlockMetaData,
      reader: ParquetFileReader,
      in: SeekableInputStream,
      writer: ParquetFileWriter
  ): Unit = {
    val columns = reader.getFileMetaData.getSchema.getColumns.asScala.map(c => c.getPath.toSeq -> c).toMap
    val filters = reader.getBloomFilterDataReader(group)
    writer.startBlock(group.getRowCount)
    group.getColumns.asScala.foreach { chunk =>
      writer.appendColumnChunk(
        columns(chunk.getPath.toArray.toSeq),
        in,
        chunk,
        filters.readBloomFilter(chunk),
        reader.readColumnIndex(chunk),
        reader.readOffsetIndex(chunk)
      )
    }
    writer.endBlock()
  }
}
