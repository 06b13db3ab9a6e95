package stoplog.spark

import java.util.{Map => JMap}

import org.apache.spark.sql.connector.catalog.{SessionConfigSupport, Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.error.Errors
import stoplog.options.ViewOptions

/** `format("stoplog")`: the door through which Spark comes in.
  *
  * Writing takes the options of [[stoplog.options.SinkOptionRegistry]], which can be preset for a session as
  * `spark.datasource.stoplog.<option>`. Reading shows the state of a sink (`view`), not its rows: those are
  * ordinary files.
  */
final class StoplogProvider extends TableProvider with DataSourceRegister with SessionConfigSupport {

  override def shortName(): String = "stoplog"

  override def keyPrefix(): String = "stoplog"

  /** The rows' schema comes with the write. */
  override def supportsExternalMetadata(): Boolean = true

  override def inferSchema(options: CaseInsensitiveStringMap): StructType =
    ViewOptions.parse(options) match {
      case Some(asked) => StateView.schema(asked.view)
      case None        => throw Errors.readUnsupported(String.valueOf(options.get("path")))
    }

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: JMap[String, String]
  ): Table = ViewOptions.parse(properties) match {
    case Some(asked) => new StateTable(asked)
    case None        => SinkTable(schema, partitioning, properties)
  }
}
