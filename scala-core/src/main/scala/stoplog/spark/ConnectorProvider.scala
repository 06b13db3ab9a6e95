// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{Map => JMap}

import org.apache.spark.sql.connector.catalog.{SessionConfigSupport, Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType

import stoplog.engine.JarVersions

/** The data source of a connector's sink. Sessions preset options as `spark.datasource.<format>.<option>`. */
private[stoplog] abstract class ConnectorProvider(format: String)
    extends TableProvider
    with DataSourceRegister
    with SessionConfigSupport {

  override def shortName(): String = format

  override def keyPrefix(): String = format

  /** Returns `true`: the write provides the rows' schema. */
  override def supportsExternalMetadata(): Boolean = true

  override final def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: JMap[String, String]
  ): Table = {
    JarVersions.check(format, getClass)
    table(schema, properties)
  }

  /** @param schema the schema of the rows
    */
  protected def table(schema: StructType, properties: JMap[String, String]): Table
}
