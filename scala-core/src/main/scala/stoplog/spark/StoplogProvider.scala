// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{Map => JMap}

import org.apache.spark.sql.connector.catalog.{Table, TableCatalog, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.error.Errors
import stoplog.options.{SourceOptions, ViewOptions}

/** `format("stoplog")`: the door through which Spark comes in, behind [[StoplogDataSource]].
  *
  * Writing takes the options of [[stoplog.options.SinkOptionRegistry]], which can be preset for a session as
  * `spark.datasource.stoplog.<option>`. Reading takes those of [[stoplog.options.SourceOptionRegistry]], or shows the
  * state of a sink (`view`).
  */
final class StoplogProvider extends TableProvider {

  override def inferSchema(options: CaseInsensitiveStringMap): StructType =
    ViewOptions.parse(options) match {
      case Some(asked) => StateView.schema(asked.view)
      case None        =>
        OwnSource.of(options) match {
          case Some(own) => OwnSource.schema(own, options)
          case None      => FileReads.schema(SourceOptions.parse(options))
        }
    }

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: JMap[String, String]
  ): Table = ViewOptions.parse(properties) match {
    case _ if isInCatalog(properties)        => throw noCatalog
    case Some(asked)                         => StateTable(asked)
    case None if Asked.now() == Asked.ToRead => sourceTable(schema, properties)
    case None => OwnSink.of(schema, properties).getOrElse(SinkTable(schema, partitioning, properties))
  }

  /** Spark's own catalog tells so with what it knows of each of its tables. */
  private def isInCatalog(properties: JMap[String, String]): Boolean =
    Seq(TableCatalog.PROP_PROVIDER, TableCatalog.PROP_OWNER).forall(properties.containsKey)

  private def noCatalog = Errors.invalidOptions(
    Seq(
      "a table of a catalog (saveAsTable, toTable, CREATE TABLE) is not supported: use save, start or load with a path; " +
        "a table of the files' own format over that path shows them to SQL."
    )
  )

  private def sourceTable(schema: StructType, properties: JMap[String, String]): Table =
    OwnSource.of(properties) match {
      case Some(own) => new OwnSourceTable(own, schema, properties)
      case None      => SourceTable(SourceOptions.parse(properties), schema)
    }
}
