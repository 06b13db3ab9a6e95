// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{EnumSet => JEnumSet, Map => JMap, Set => JSet}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.read.streaming.ReportsSinkMetrics
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.error.Redaction
import stoplog.filesink.BatchPartitioning
import stoplog.filesource.FileReads

/** A table of Spark's session catalog: reads its files as the source does, and writes as the sink does.
  *
  * Spark makes one whenever it looks a table up, also to drop it. So what is wrong with a table's options is told when
  * it is created, and then when it is read or written.
  */
private[spark] final class SessionTable(
    columns: StructType,
    partitioned: Array[Transform],
    options: TableOptions
) extends SupportsRead
    with SupportsWrite
    with SupportsMetadataColumns
    with ReportsSinkMetrics {
  private var sink = Option.empty[(Map[String, String], SinkTable[_])]

  override def name(): String = Redaction.text(s"stoplog ${options.all.getOrElse("path", "table")}")

  override def schema(): StructType = columns

  override def partitioning(): Array[Transform] = partitioned

  override def metadataColumns(): Array[MetadataColumn] = Array(SourceTable.Metadata)

  override def capabilities(): JSet[TableCapability] = JEnumSet.of(
    TableCapability.BATCH_READ,
    TableCapability.MICRO_BATCH_READ,
    TableCapability.BATCH_WRITE,
    TableCapability.STREAMING_WRITE,
    TableCapability.TRUNCATE
  )

  override def newScanBuilder(asked: CaseInsensitiveStringMap): ScanBuilder =
    SourceTable.ofFilesToCome(options.toRead(asked), columns).newScanBuilder(asked)

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder =
    sinkOf(options.toWrite(info.options)).newWriteBuilder(info)

  override def metrics(): JMap[String, String] =
    synchronized(sink).fold(JMap.of[String, String]()) { case (_, table) => table.metrics() }

  /** The same one for all epochs of a query: it is what remembers from one to the next. */
  private def sinkOf(asked: Map[String, String]): SinkTable[_] = synchronized {
    sink.collect { case (`asked`, table) => table }.getOrElse {
      val made = FileTable(columns, partitioned, new CaseInsensitiveStringMap(asked.asJava))
      sink = Some(asked -> made)
      made
    }
  }
}

private[spark] object SessionTable {

  /** Those of the files that are there, for a table that is created without any. */
  def columns(properties: JMap[String, String]): StructType = {
    CatalogCall.refuseReplacing()
    val options = TableOptions.of(properties)
    options.check()
    FileReads.schema(options.toRead(CaseInsensitiveStringMap.empty))
  }

  /** Errors: `STOPLOG_INVALID_OPTIONS`, `STOPLOG_PARTITION_COLUMNS`. */
  def apply(
      columns: StructType,
      partitioned: Array[Transform],
      properties: JMap[String, String]
  ): SessionTable = {
    CatalogCall.refuseReplacing()
    val options = TableOptions.of(properties)
    if (CatalogCall.isCreating) {
      options.check()
      BatchPartitioning.columns(partitioned)
    }
    new SessionTable(columns, partitioned, options)
  }
}
