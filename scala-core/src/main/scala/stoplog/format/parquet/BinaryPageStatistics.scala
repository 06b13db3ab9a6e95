// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import java.util.Arrays

import scala.annotation.nowarn
import scala.jdk.CollectionConverters._

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.page.{DictionaryPage, PageWriteStore, PageWriter}
import org.apache.parquet.column.statistics.geospatial.GeospatialStatistics
import org.apache.parquet.column.statistics.{BinaryStatistics, SizeStatistics, Statistics}
import org.apache.parquet.column.{ColumnDescriptor, Encoding, ParquetProperties}
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.LogicalTypeAnnotation.StringLogicalTypeAnnotation
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.{MessageType, PrimitiveType}

/** The minimum and maximum values of the pages of string and binary columns.
  *
  * parquet-hadoop compares each value with both, byte by byte. For strings with common prefixes, such as
  * addresses and times, comparisons take longer than encoding. The JDK compares with vector instructions. So
  * these columns have no statistics in parquet-hadoop, and finished pages receive equal statistics here.
  */
private[parquet] final class BinaryPageStatistics private (ranges: Map[ColumnDescriptor, ByteRange]) {

  /** Returns the range of each column; [[ByteRange.Disabled]] if parquet-hadoop keeps the statistics. */
  def of(schema: MessageType): Array[ByteRange] =
    schema.getColumns.asScala.map(column => ranges.getOrElse(column, ByteRange.Disabled)).toArray

  /** The columns with statistics from this class, by their paths with dots. */
  def columns: Iterable[String] = ranges.keys.map(_.getPath.mkString("."))

  /** Wraps pages, so that finished pages receive their statistics from this class. */
  def of(pages: PageWriteStore): PageWriteStore =
    if (ranges.isEmpty) pages else new BinaryPageStatistics.RangedPages(pages, ranges)
}

private[parquet] object BinaryPageStatistics {

  val none: BinaryPageStatistics = new BinaryPageStatistics(Map.empty)

  /** Returns the ranges for a schema without nested columns, where the page of a value is known. */
  def of(schema: MessageType, properties: ParquetProperties): BinaryPageStatistics =
    if (properties.getWriterVersion != ParquetProperties.WriterVersion.PARQUET_1_0) none
    else
      new BinaryPageStatistics(
        schema.getColumns.asScala
          .filter(column => isCompared(column.getPrimitiveType) && properties.getStatisticsEnabled(column))
          .map(column => column -> new ByteRange.Seen(column.getPrimitiveType))
          .toMap
      )

  /** Whether values are ordered by their unsigned bytes. */
  private def isCompared(column: PrimitiveType): Boolean =
    column.getPrimitiveTypeName == PrimitiveTypeName.BINARY && (column.getLogicalTypeAnnotation match {
      case null                           => true
      case _: StringLogicalTypeAnnotation => true
      case _                              => false
    })

  private final class RangedPages(pages: PageWriteStore, ranges: Map[ColumnDescriptor, ByteRange])
      extends PageWriteStore {
    override def getPageWriter(column: ColumnDescriptor): PageWriter = {
      val writer = pages.getPageWriter(column)
      ranges.get(column).fold(writer)(new RangedPage(writer, _))
    }

    override def close(): Unit = pages.close()
  }

  /** Each release of parquet-hadoop ends a page by one of these methods, and deprecates older methods. */
  @nowarn("cat=deprecation")
  private final class RangedPage(page: PageWriter, range: ByteRange) extends PageWriter {

    override def writePage(
        bytes: BytesInput,
        values: Int,
        statistics: Statistics[_],
        repetition: Encoding,
        definition: Encoding,
        data: Encoding
    ): Unit = page.writePage(bytes, values, range.take(), repetition, definition, data)

    override def writePage(
        bytes: BytesInput,
        values: Int,
        rows: Int,
        statistics: Statistics[_],
        repetition: Encoding,
        definition: Encoding,
        data: Encoding
    ): Unit = page.writePage(bytes, values, rows, range.take(), repetition, definition, data)

    override def writePage(
        bytes: BytesInput,
        values: Int,
        rows: Int,
        statistics: Statistics[_],
        sizes: SizeStatistics,
        repetition: Encoding,
        definition: Encoding,
        data: Encoding
    ): Unit = page.writePage(bytes, values, rows, range.take(), sizes, repetition, definition, data)

    override def writePage(
        bytes: BytesInput,
        values: Int,
        rows: Int,
        statistics: Statistics[_],
        sizes: SizeStatistics,
        places: GeospatialStatistics,
        repetition: Encoding,
        definition: Encoding,
        data: Encoding
    ): Unit = page.writePage(bytes, values, rows, range.take(), sizes, places, repetition, definition, data)

    override def writePageV2(
        rows: Int,
        nulls: Int,
        values: Int,
        repetition: BytesInput,
        definition: BytesInput,
        encoding: Encoding,
        data: BytesInput,
        statistics: Statistics[_]
    ): Unit = throw new UnsupportedOperationException("pages of version 2 keep their own statistics")

    override def writeDictionaryPage(dictionary: DictionaryPage): Unit = page.writeDictionaryPage(dictionary)
    override def getMemSize: Long                                      = page.getMemSize
    override def allocatedSize: Long                                   = page.allocatedSize
    override def memUsageString(prefix: String): String                = page.memUsageString(prefix)
    override def close(): Unit                                         = page.close()
  }
}

/** The range of the values of one column since the last page. Used by one thread. */
private[parquet] sealed trait ByteRange {
  def add(value: Binary): Unit
  def addNull(): Unit

  /** Returns the statistics of all values since the last call. */
  def take(): Statistics[_]
}

private[parquet] object ByteRange {

  case object Disabled extends ByteRange {
    override def add(value: Binary): Unit = ()
    override def addNull(): Unit          = ()
    override def take(): Statistics[_]    = throw new UnsupportedOperationException("no value was requested")
  }

  final class Seen(column: PrimitiveType) extends ByteRange {
    private[this] var least    = Array.emptyByteArray
    private[this] var greatest = Array.emptyByteArray
    private[this] var isEmpty  = true
    private[this] var nulls    = 0L

    override def add(value: Binary): Unit = {
      val buffer = value.toByteBuffer
      if (buffer.hasArray) {
        val from = buffer.arrayOffset + buffer.position()
        add(buffer.array, from, from + buffer.remaining)
      } else { // outside the heap, or read-only: values from pages of other files
        val bytes = value.getBytes
        add(bytes, 0, bytes.length)
      }
    }

    override def addNull(): Unit = nulls += 1

    override def take(): Statistics[_] = {
      val statistics = Statistics.createStats(column).asInstanceOf[BinaryStatistics]
      if (!isEmpty) {
        statistics.updateStats(Binary.fromConstantByteArray(least))
        statistics.updateStats(Binary.fromConstantByteArray(greatest))
      }
      statistics.incrementNumNulls(nulls)
      isEmpty = true
      nulls = 0
      statistics
    }

    // Copies an extreme, because value objects are reused.
    private def add(bytes: Array[Byte], from: Int, to: Int): Unit =
      if (isEmpty) {
        least = Arrays.copyOfRange(bytes, from, to)
        greatest = least
        isEmpty = false
      } else if (Arrays.compareUnsigned(bytes, from, to, greatest, 0, greatest.length) > 0)
        greatest = Arrays.copyOfRange(bytes, from, to)
      else if (Arrays.compareUnsigned(bytes, from, to, least, 0, least.length) < 0)
        least = Arrays.copyOfRange(bytes, from, to)
  }
}
