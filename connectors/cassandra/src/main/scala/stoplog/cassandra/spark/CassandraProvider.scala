// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.spark

import java.util.{Map => JMap}

import org.apache.spark.sql.connector.catalog.{SessionConfigSupport, Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.cassandra.options.CassandraOptions
import stoplog.engine.JarVersions

/** `format("stoplog-cassandra")`: the door through which Spark comes in, to read and to write.
  *
  * The options can be preset for a session as `spark.datasource.stoplog-cassandra.<option>`.
  */
final class CassandraProvider extends TableProvider with DataSourceRegister with SessionConfigSupport {

  override def shortName(): String = "stoplog-cassandra"

  override def keyPrefix(): String = "stoplog-cassandra"

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = table(options).schema()

  /** The table says which columns it has, whatever those of a write are. */
  override def getTable(
      ignored: StructType,
      partitioning: Array[Transform],
      properties: JMap[String, String]
  ): Table = table(properties)

  // Spark asks one provider twice for one table: for its columns, and for itself.
  private var found = Option.empty[CassandraTable]

  private def table(properties: JMap[String, String]): CassandraTable = synchronized {
    JarVersions.check("stoplog-cassandra", getClass)
    val options = CassandraOptions.parse(properties)
    val table   = found.filter(_.options == options).getOrElse(CassandraTable(options))
    found = Some(table)
    table
  }
}
