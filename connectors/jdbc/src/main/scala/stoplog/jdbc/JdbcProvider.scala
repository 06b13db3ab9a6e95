// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.util.{Map => JMap}

import org.apache.spark.sql.connector.catalog.{SessionConfigSupport, Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.engine.JarVersions
import stoplog.options.SparkOptions
import stoplog.spark.SinkTable

/** `format("stoplog-jdbc")`: the door through which Spark comes in.
  *
  * Takes the options of [[JdbcOptionRegistry]], which can be preset for a session as
  * `spark.datasource.stoplog-jdbc.<option>`. Only for writing: Spark's own `jdbc` reads.
  */
final class JdbcProvider extends TableProvider with DataSourceRegister with SessionConfigSupport {

  override def shortName(): String = JdbcSink.Format

  override def keyPrefix(): String = JdbcSink.Format

  /** The rows' schema comes with the write. */
  override def supportsExternalMetadata(): Boolean = true

  override def inferSchema(options: CaseInsensitiveStringMap): StructType =
    throw new UnsupportedOperationException(s"${JdbcSink.Format} is for writing; read with format(\"jdbc\")")

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: JMap[String, String]
  ): Table = {
    JarVersions.check("stoplog-jdbc", getClass)
    val options = JdbcOptions.parse(properties)
    SparkOptions.refuseAsyncProgress(properties)
    new SinkTable(JdbcEngineSink(schema, options))
  }
}
