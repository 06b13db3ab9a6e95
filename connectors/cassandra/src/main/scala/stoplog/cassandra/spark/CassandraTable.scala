// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.spark

import java.util.{Set => JSet}

import org.apache.spark.sql.connector.catalog.{SupportsRead, TableCapability}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.cassandra.options.CassandraOptions
import stoplog.cassandra.schema.TableInfo
import stoplog.cassandra.write.WrittenRows
import stoplog.spark.SinkTable

/** A table of Cassandra's, to read and to write. */
private[spark] final class CassandraTable(val info: TableInfo, val options: CassandraOptions)
    extends SinkTable[WrittenRows](new CassandraEngineSink(info, options))
    with SupportsRead {

  override def capabilities(): JSet[TableCapability] = {
    val all = super.capabilities()
    all.add(TableCapability.BATCH_READ)
    all
  }

  override def newScanBuilder(ignored: CaseInsensitiveStringMap): ScanBuilder =
    new CassandraScanBuilder(info, options)
}

private[spark] object CassandraTable {

  /** Errors: `STOPLOG_CASSANDRA_CONNECT`, `STOPLOG_CASSANDRA_TABLE`. */
  def apply(options: CassandraOptions): CassandraTable = new CassandraTable(TableInfo.of(options), options)
}
