// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.hadoop.ParquetOutputFormat._
import org.apache.parquet.hadoop.ParquetWriter
import org.apache.parquet.hadoop.api.WriteSupport
import org.apache.parquet.io.OutputFile

/** A builder of parquet-hadoop's writers with the properties that Spark's sink hands to its writer through Hadoop's
  * configuration, where a builder does not look.
  *
  * Names that not all supported lines of parquet-hadoop know are written out.
  */
private[parquet] final class PartWriterBuilder[R](
    file: OutputFile,
    support: WriteSupport[R],
    conf: Configuration
) extends ParquetWriter.Builder[R, PartWriterBuilder[R]](file) {
  withConf(conf)
  setFile()
  setPages()
  setFilters()
  setColumns()

  override protected def self(): PartWriterBuilder[R] = this

  override protected def getWriteSupport(conf: Configuration): WriteSupport[R] = support

  private def setFile(): Unit =
    self()
      .withCompressionCodec(getCompression(conf))
      .withWriterVersion(getWriterVersion(conf))
      .withValidation(getValidation(conf))
      .withDictionaryEncoding(getEnableDictionary(conf))
      .withByteStreamSplitEncoding(conf.getBoolean("parquet.enable.bytestreamsplit", false))
      .withStatisticsEnabled(getStatisticsEnabled(conf))
      .withSizeStatisticsEnabled(getSizeStatisticsEnabled(conf)): Unit

  private def setPages(): Unit =
    self()
      .withPageSize(getPageSize(conf))
      .withDictionaryPageSize(getDictionaryPageSize(conf))
      .withMinRowCountForPageSizeCheck(getMinRowCountForPageSizeCheck(conf))
      .withMaxRowCountForPageSizeCheck(getMaxRowCountForPageSizeCheck(conf))
      .withPageRowCountLimit(
        conf.getInt(PAGE_ROW_COUNT_LIMIT, ParquetProperties.DEFAULT_PAGE_ROW_COUNT_LIMIT)
      )
      .withPageWriteChecksumEnabled(getPageWriteChecksumEnabled(conf))
      .withColumnIndexTruncateLength(
        conf.getInt(COLUMN_INDEX_TRUNCATE_LENGTH, ParquetProperties.DEFAULT_COLUMN_INDEX_TRUNCATE_LENGTH)
      )
      .withStatisticsTruncateLength(
        conf.getInt(STATISTICS_TRUNCATE_LENGTH, ParquetProperties.DEFAULT_STATISTICS_TRUNCATE_LENGTH)
      ): Unit

  private def setFilters(): Unit =
    self()
      .withBloomFilterEnabled(getBloomFilterEnabled(conf))
      .withAdaptiveBloomFilterEnabled(getAdaptiveBloomFilterEnabled(conf))
      .withMaxBloomFilterBytes(getBloomFilterMaxBytes(conf)): Unit

  // `name#column`, the column's path with dots.
  private def setColumns(): Unit = {
    def each(name: String)(set: (String, String) => PartWriterBuilder[R]): Unit =
      conf.asScala.map(_.getKey).filter(_.startsWith(s"$name#")).foreach { key =>
        set(key.drop(name.length + 1), conf.getTrimmed(key))
      }
    each(ENABLE_DICTIONARY)((column, value) => withDictionaryEncoding(column, value.toBoolean))
    each(BLOOM_FILTER_ENABLED)((column, value) => withBloomFilterEnabled(column, value.toBoolean))
    each(BLOOM_FILTER_EXPECTED_NDV)((column, value) => withBloomFilterNDV(column, value.toLong))
    each(BLOOM_FILTER_FPP)((column, value) => withBloomFilterFPP(column, value.toDouble))
    each(BLOOM_FILTER_CANDIDATES_NUMBER)((column, value) =>
      withBloomFilterCandidateNumber(column, value.toInt)
    )
    each(STATISTICS_ENABLED)((column, value) => withStatisticsEnabled(column, value.toBoolean))
    each(SIZE_STATISTICS_ENABLED)((column, value) => withSizeStatisticsEnabled(column, value.toBoolean))
  }
}
