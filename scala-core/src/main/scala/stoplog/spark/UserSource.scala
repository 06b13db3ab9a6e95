// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{EnumSet => JEnumSet, Map => JMap, Set => JSet}

import org.apache.spark.sql.connector.catalog.{SupportsRead, TableCapability}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.error.Redaction
import stoplog.format.read.Vectors
import stoplog.options.SourceOptions
import stoplog.format.read.RowSource
import stoplog.options.{ContentOptions, SparkOptions}
import stoplog.util.UserObject

/** The user's own source, where the option `source` names one. */
private[spark] object UserSource {

  /** Error: `STOPLOG_USER_CODE`. */
  def of(options: JMap[String, String]): Option[RowSource] = {
    val key = ContentOptions.UserSource.key
    Option(SparkOptions.caseless(options).get(key)).map(UserObject.load(_, classOf[RowSource], key))
  }

  def schema(source: RowSource, options: JMap[String, String]): StructType =
    source.schema(SparkOptions.caseless(options))
}

/** The user's own source as a table to read from. */
private[spark] final class UserSourceTable(source: RowSource, rows: StructType, options: JMap[String, String])
    extends SupportsRead {
  private val limits = SourceOptions.limits(options)
  private val open   = source.open(SparkOptions.caseless(options), rows)

  override def name(): String = Redaction.text(s"stoplog ${open.describe}")

  override def schema(): StructType = rows

  override def capabilities(): JSet[TableCapability] =
    JEnumSet.of(TableCapability.MICRO_BATCH_READ, TableCapability.BATCH_READ)

  override def newScanBuilder(ignored: CaseInsensitiveStringMap): ScanBuilder =
    () => new SourceScan(open, rows, limits, Vectors.Rows)
}
