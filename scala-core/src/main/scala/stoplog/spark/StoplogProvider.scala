// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{EnumSet => JEnumSet, Map => JMap, Set => JSet}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read.{LocalScan, Scan, ScanBuilder}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.error.{Errors, Redaction}
import stoplog.filesource.FileReads
import stoplog.options.{SourceOptions, ViewOptions}
import stoplog.filesink.StateView

/** `format("stoplog")`: the door through which Spark comes in, behind [[StoplogDataSource]].
  *
  * Writing takes the options of [[stoplog.options.SinkOptionRegistry]], which can be preset for a session as
  * `spark.datasource.stoplog.<option>`. Reading takes those of [[stoplog.options.SourceOptionRegistry]], or shows the
  * state of a sink (`view`). A table of Spark's session catalog does both.
  */
private[stoplog] final class StoplogProvider extends TableProvider {
  import StoplogProvider.{SparkCall, StateTable}

  override def inferSchema(options: CaseInsensitiveStringMap): StructType =
    if (SessionTable.TableOptions.isInCatalog(options)) SessionTable.columns(options) else columns(options)

  private def columns(options: CaseInsensitiveStringMap): StructType =
    ViewOptions.parse(options) match {
      case Some(asked) => StateView.schema(asked.view)
      case None        =>
        SourceOptions.userSource(options) match {
          case Some(own) => own.schema(options)
          case None      => FileReads.schema(SourceOptions.parse(options))
        }
    }

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: JMap[String, String]
  ): Table =
    if (SessionTable.TableOptions.isInCatalog(properties)) SessionTable(schema, partitioning, properties)
    else table(schema, partitioning, properties)

  private def table(
      schema: StructType,
      partitioning: Array[Transform],
      properties: JMap[String, String]
  ): Table = ViewOptions.parse(properties) match {
    case Some(asked) =>
      StateView.refuseUnknown(asked)
      new StateTable(asked)
    case None if SparkCall.isReading => sourceTable(schema, properties)
    case None                        =>
      SinkTable.ofUser(schema, properties).getOrElse(SinkTable.ofFiles(schema, partitioning, properties))
  }

  private def sourceTable(schema: StructType, properties: JMap[String, String]): Table =
    SourceOptions.userSource(properties) match {
      case Some(own) => new SourceScan.UserSourceTable(own, schema, properties)
      case None      => SourceTable(SourceOptions.parse(properties), schema)
    }
}

private[spark] object StoplogProvider {

  /** A sink's state as a table: what the log says now, read on the driver. */
  final class StateTable(asked: ViewOptions) extends SupportsRead {

    override def name(): String =
      Redaction.text(s"stoplog ${asked.path} (${asked.sinkId}, ${asked.view.word})")

    override def schema(): StructType = StateView.schema(asked.view)

    override def capabilities(): JSet[TableCapability] = JEnumSet.of(TableCapability.BATCH_READ)

    override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = () => scan

    private def scan: Scan = new LocalScan {
      override def readSchema(): StructType   = schema()
      override def description(): String      = name()
      override def rows(): Array[InternalRow] = StateView.rows(asked)
    }
  }

  /** The purpose of Spark's call for a table. Spark makes the same call for each, so its caller on the stack tells it. */
  object SparkCall {

    /** Whether the innermost of Spark's entry points on the stack reads; a call through none of them is a write. Options of
      * a read and of a write are checked as soon as Spark asks for a table, and differ.
      */
    def isReading: Boolean = StackWalker.getInstance().walk { frames =>
      frames
        .map[String](_.getClassName)
        .filter(name => isWriter(name) || readers.exists(name.contains))
        .findFirst()
        .filter(!isWriter(_))
        .isPresent
    }

    /** CREATE TABLE, also AS SELECT, and the same from a DataFrame. A Spark that names these commands otherwise has a table
      * checked when it is first used.
      */
    def isCreating: Boolean = isIn("CreateTable")

    /** Spark drops the table and creates it anew. Files under a location stay, and their rows would be in the new one.
      * It looks the table up before it drops it, so nothing has happened yet.
      *
      * Error: `STOPLOG_INVALID_OPTIONS`.
      */
    def refuseReplacing(): Unit = if (isIn("ReplaceTable"))
      throw Errors.invalidOptions(
        Seq(
          "a table cannot be replaced (CREATE OR REPLACE TABLE, createOrReplace, saveAsTable with mode overwrite): use " +
            "INSERT OVERWRITE, or insertInto with overwrite; or drop it, remove its files, and create it."
        )
      )

    private def isIn(command: String): Boolean =
      StackWalker.getInstance().walk(_.anyMatch(_.getClassName.contains(s".datasources.v2.$command")))

    private def isWriter(className: String): Boolean = writers.exists(className.endsWith)

    private val writers = Seq("DataStreamWriter", "DataFrameWriter", "DataFrameWriterV2")
    private val readers = Seq(
      "DataStreamReader", "DataFrameReader", "ResolveDataSource", "FindDataSourceTable", "CreateTempViewUsing"
    )
  }
}
