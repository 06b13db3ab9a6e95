// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{Map => JMap}

import org.apache.spark.sql.connector.catalog.{Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.filesource.FileReads
import stoplog.options.{SourceOptions, ViewOptions}
import stoplog.filesink.StateView

/** `format("stoplog")`: the door through which Spark comes in, behind [[StoplogDataSource]].
  *
  * Writing takes the options of [[stoplog.options.SinkOptionRegistry]], which can be preset for a session as
  * `spark.datasource.stoplog.<option>`. Reading takes those of [[stoplog.options.SourceOptionRegistry]], or shows the
  * state of a sink (`view`). A table of Spark's session catalog does both.
  */
final class StoplogProvider extends TableProvider {

  override def inferSchema(options: CaseInsensitiveStringMap): StructType =
    if (TableOptions.isInCatalog(options)) SessionTable.columns(options) else columns(options)

  private def columns(options: CaseInsensitiveStringMap): StructType =
    ViewOptions.parse(options) match {
      case Some(asked) => StateView.schema(asked.view)
      case None        =>
        UserSource.of(options) match {
          case Some(own) => UserSource.schema(own, options)
          case None      => FileReads.schema(SourceOptions.parse(options))
        }
    }

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: JMap[String, String]
  ): Table =
    if (TableOptions.isInCatalog(properties)) SessionTable(schema, partitioning, properties)
    else table(schema, partitioning, properties)

  private def table(
      schema: StructType,
      partitioning: Array[Transform],
      properties: JMap[String, String]
  ): Table = ViewOptions.parse(properties) match {
    case Some(asked)                               => StateTable(asked)
    case None if CallKind.now() == CallKind.ToRead => sourceTable(schema, properties)
    case None => UserSink.of(schema, properties).getOrElse(FileTable(schema, partitioning, properties))
  }

  private def sourceTable(schema: StructType, properties: JMap[String, String]): Table =
    UserSource.of(properties) match {
      case Some(own) => new UserSourceTable(own, schema, properties)
      case None      => SourceTable(SourceOptions.parse(properties), schema)
    }
}
