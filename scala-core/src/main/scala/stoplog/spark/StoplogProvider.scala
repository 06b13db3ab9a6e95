// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{EnumSet => JEnumSet, Map => JMap, Set => JSet}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read.{LocalScan, Scan, ScanBuilder}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.error.{Described, Errors}
import stoplog.filesource.FileReads
import stoplog.options.{SourceOptions, ViewOptions}
import stoplog.filesink.StateView

/** The data source `format("stoplog")`, used by Spark through [[StoplogDataSource]].
  *
  * Writes accept the options of [[stoplog.options.SinkOptionRegistry]], which a session can preset as
  * `spark.datasource.stoplog.<option>`. Reads accept the options of [[stoplog.options.SourceOptionRegistry]],
  * or show the state of a sink (`view`). A table of Spark's session catalog supports both.
  */
private[stoplog] final class StoplogProvider extends TableProvider {
  import StoplogProvider.{SparkCall, StateTable}

  override def inferSchema(options: CaseInsensitiveStringMap): StructType =
    if (SessionTable.TableOptions.isInCatalog(options)) SessionTable.columns(options) else columns(options)

  private def columns(options: CaseInsensitiveStringMap): StructType =
    ViewOptions.parse(options) match {
      case Some(viewOptions) => StateView.schema(viewOptions.view)
      case None              =>
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
    case Some(viewOptions) =>
      StateView.refuseUnknown(viewOptions)
      new StateTable(viewOptions)
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

  /** A sink's state as a table, read from the current log on the driver. */
  final class StateTable(viewOptions: ViewOptions) extends SupportsRead {

    override def name(): String =
      Described.as("stoplog view")(
        Described.named(s"${viewOptions.path} (${viewOptions.sinkId}, ${viewOptions.view.word})")
      )

    override def schema(): StructType = StateView.schema(viewOptions.view)

    override def capabilities(): JSet[TableCapability] = JEnumSet.of(TableCapability.BATCH_READ)

    override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = () => scan

    private def scan: Scan = new LocalScan {
      override def readSchema(): StructType   = schema()
      override def description(): String      = name()
      override def rows(): Array[InternalRow] = StateView.rows(viewOptions)
    }
  }

  /** The purpose of Spark's call for a table, derived from the call stack: all purposes share one method. */
  object SparkCall {

    /** Returns whether Spark's innermost entry point on the stack is a read. Other calls count as writes. The
      * options of reads and writes differ, and are validated when Spark requests the table.
      */
    def isReading: Boolean = StackWalker.getInstance().walk { frames =>
      frames
        .map[String](_.getClassName)
        .filter(name => isWriter(name) || readers.exists(name.contains))
        .findFirst()
        .filter(!isWriter(_))
        .isPresent
    }

    /** Returns whether the call belongs to CREATE TABLE, AS SELECT, or their DataFrame equivalents. If a
      * Spark version uses other class names, a table is validated at its first use.
      */
    def isCreating: Boolean = isIn("CreateTable")

    /** Rejects the replacement of a table. Spark would drop and recreate the table, while files under a
      * location stay, so that the new table contains their rows. Spark looks up the table before the drop, so
      * nothing has changed yet.
      *
      * Error: `STOPLOG_INVALID_OPTIONS`.
      */
    def refuseReplacing(): Unit = if (isIn("ReplaceTable"))
      throw Errors.invalidOptions(
        Seq(
          "a table cannot be replaced (CREATE OR REPLACE TABLE, createOrReplace, saveAsTable with mode " +
            "overwrite): use INSERT OVERWRITE, or insertInto with overwrite; or drop it, remove its files, " +
            "and create it."
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
