// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.hadoop.ParquetOutputFormat._

/** The parquet-hadoop properties of columns and pages that Spark's sink sets in Hadoop's configuration. A
  * builder of properties does not read the configuration.
  *
  * Names unknown to some supported versions of parquet-hadoop are string literals.
  */
private[parquet] object WriterProperties {

  /** @param withoutStatistics paths of columns, with dots; overrides the configuration of their statistics */
  def of(conf: Configuration, withoutStatistics: Iterable[String] = Nil): ParquetProperties = {
    val builder = ParquetProperties.builder() // `ParquetProperties.copy` omits lengths and switches
    setFile(conf, builder)
    setPages(conf, builder)
    setFilters(conf, builder)
    setColumns(conf, builder)
    withoutStatistics.foreach(builder.withStatisticsEnabled(_, false))
    builder.build()
  }

  private def setFile(conf: Configuration, builder: ParquetProperties.Builder): Unit =
    builder
      .withWriterVersion(getWriterVersion(conf))
      .withDictionaryEncoding(getEnableDictionary(conf))
      .withByteStreamSplitEncoding(conf.getBoolean("parquet.enable.bytestreamsplit", false))
      .withStatisticsEnabled(getStatisticsEnabled(conf))
      .withSizeStatisticsEnabled(getSizeStatisticsEnabled(conf)): Unit

  private def setPages(conf: Configuration, builder: ParquetProperties.Builder): Unit =
    builder
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

  private def setFilters(conf: Configuration, builder: ParquetProperties.Builder): Unit =
    builder
      .withBloomFilterEnabled(getBloomFilterEnabled(conf))
      .withAdaptiveBloomFilterEnabled(getAdaptiveBloomFilterEnabled(conf))
      .withMaxBloomFilterBytes(getBloomFilterMaxBytes(conf)): Unit

  // `name#column`, with the column's path in dotted form.
  private def setColumns(conf: Configuration, builder: ParquetProperties.Builder): Unit = {
    def each(name: String)(set: (String, String) => ParquetProperties.Builder): Unit =
      conf.asScala.map(_.getKey).filter(_.startsWith(s"$name#")).foreach { key =>
        set(key.drop(name.length + 1), conf.getTrimmed(key))
      }
    each(ENABLE_DICTIONARY)((column, value) => builder.withDictionaryEncoding(column, value.toBoolean))
    each(BLOOM_FILTER_ENABLED)((column, value) => builder.withBloomFilterEnabled(column, value.toBoolean))
    each(BLOOM_FILTER_EXPECTED_NDV)((column, value) => builder.withBloomFilterNDV(column, value.toLong))
    each(BLOOM_FILTER_FPP)((column, value) => builder.withBloomFilterFPP(column, value.toDouble))
    each(BLOOM_FILTER_CANDIDATES_NUMBER)((column, value) =>
      builder.withBloomFilterCandidatesNumber(column, value.toInt)
    )
    each(STATISTICS_ENABLED)((column, value) => builder.withStatisticsEnabled(column, value.toBoolean))
    each(SIZE_STATISTICS_ENABLED)((column, value) =>
      builder.withSizeStatisticsEnabled(column, value.toBoolean)
    )
  }
}
