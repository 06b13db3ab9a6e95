// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{EnumSet => JEnumSet, Set => JSet}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{SupportsRead, TableCapability}
import org.apache.spark.sql.connector.read.{LocalScan, Scan, ScanBuilder}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.options.ViewOptions
import stoplog.place.SinkStorage

/** A sink's state as a table: what the log says now, read on the driver. */
private[spark] final class StateTable(asked: ViewOptions) extends SupportsRead {

  override def name(): String = s"stoplog ${asked.path} (${asked.sinkId}, ${asked.view.word})"

  override def schema(): StructType = StateView.schema(asked.view)

  override def capabilities(): JSet[TableCapability] = JEnumSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = () => scan

  private def scan: Scan = new LocalScan {
    override def readSchema(): StructType   = schema()
    override def description(): String      = name()
    override def rows(): Array[InternalRow] =
      StateView.rows(asked.view, SinkStorage.reading(asked.path, asked.sinkId, SparkHadoop.configuration).log)
  }
}
