// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.util.{EnumSet => JEnumSet, Map => JMap, Set => JSet}
import java.util.concurrent.atomic.AtomicReference

import org.apache.spark.sql.connector.catalog.{SupportsWrite, TableCapability}
import org.apache.spark.sql.connector.read.streaming.ReportsSinkMetrics
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, SupportsTruncate, Write, WriteBuilder}
import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend
import org.apache.spark.sql.types.StructType

import stoplog.options.SparkOptions

/** The sink of one write. Spark keeps this object for the whole run of a query, and nothing else of the sink's. */
private[jdbc] final class JdbcTable(val spec: SinkSpec) extends SupportsWrite with ReportsSinkMetrics {
  private val current = new AtomicReference[JdbcRun]()

  override def name(): String = s"${JdbcSink.Format} ${spec.target.database} ${spec.sink}"

  override def schema(): StructType = spec.schema

  override def capabilities(): JSet[TableCapability] = JEnumSet.of(
    TableCapability.STREAMING_WRITE,
    TableCapability.BATCH_WRITE,
    TableCapability.TRUNCATE,
    TableCapability.ACCEPT_ANY_SCHEMA
  )

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = new JdbcWriteBuilder(this, info)

  override def metrics(): JMap[String, String] =
    Option(current.get).fold(SinkCounts.empty)(_.counts).toMetrics

  override def toString: String = name()

  /** What lasts from epoch to epoch of this start of the query. */
  def runOf(runId: String)(start: => JdbcRun): JdbcRun = synchronized {
    Option(current.get).filter(_.runId == runId).getOrElse {
      val made = start
      current.set(made)
      made
    }
  }
}

private[jdbc] object JdbcTable {

  /** Checks all that can be checked now, and writes nothing: the start may still be refused. */
  def apply(schema: StructType, properties: JMap[String, String]): JdbcTable = {
    val options = JdbcOptions.parse(properties)
    SparkOptions.refuseAsyncProgress(properties)
    val connector = new SparkConnector(options.toSpark)
    val target    = TableCheck.target(options, schema, connector)
    new JdbcTable(SinkSpec.of(options, schema, target, connector))
  }
}

/** Planning only: Spark may build a write and then not carry it out. */
private[jdbc] final class JdbcWriteBuilder(table: JdbcTable, info: LogicalWriteInfo)
    extends SupportsTruncate
    with SupportsStreamingUpdateAsAppend {

  override def truncate(): WriteBuilder = table.spec.options.mode match {
    case _: WriteMode.Upsert => throw JdbcErrors.outputMode("overwrite, or complete,")
    case _                   =>
      new WriteBuilder {
        override def build(): Write = JdbcWrite(table, info, Existing.Replace)
      }
  }

  override def build(): Write = JdbcWrite(table, info, Existing.Keep)
}
