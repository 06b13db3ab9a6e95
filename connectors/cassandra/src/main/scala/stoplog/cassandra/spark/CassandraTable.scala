// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.spark

import java.util.{EnumSet => JEnumSet, Map => JMap, Set => JSet}

import org.apache.spark.sql.connector.catalog.{SupportsRead, SupportsWrite, TableCapability}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.read.streaming.ReportsSinkMetrics
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.cassandra.TableInfo
import stoplog.cassandra.options.CassandraOptions
import stoplog.cassandra.read.ReadColumns

/** A table of Cassandra's. Spark keeps this object for the whole run of a query, and nothing else of the sink's. */
private[spark] final class CassandraTable(val info: TableInfo, val options: CassandraOptions)
    extends SupportsRead
    with SupportsWrite
    with ReportsSinkMetrics {
  val run = new SinkRun(info, options)

  override def name(): String = s"stoplog-cassandra ${info.qualified}"

  override def schema(): StructType = ReadColumns.of(info, options).schema

  override def capabilities(): JSet[TableCapability] = JEnumSet.of(
    TableCapability.BATCH_READ,
    TableCapability.BATCH_WRITE,
    TableCapability.STREAMING_WRITE,
    TableCapability.ACCEPT_ANY_SCHEMA
  )

  override def newScanBuilder(ignored: CaseInsensitiveStringMap): ScanBuilder =
    new CassandraScanBuilder(info, options)

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = new CassandraWriteBuilder(this, info)

  override def metrics(): JMap[String, String] = run.metrics

  override def toString: String = name()
}

private[spark] object CassandraTable {

  /** Errors: `STOPLOG_CASSANDRA_CONNECT`, `STOPLOG_CASSANDRA_TABLE`. */
  def apply(options: CassandraOptions): CassandraTable = new CassandraTable(TableInfo.of(options), options)
}
