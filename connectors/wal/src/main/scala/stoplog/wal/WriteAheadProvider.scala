// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.util.{Map => JMap}

import org.apache.spark.sql.connector.catalog.{SessionConfigSupport, Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.engine.JarVersions
import stoplog.error.Errors
import stoplog.options.SparkOptions
import stoplog.spark.SinkTable
import stoplog.twophase.{TwoPhaseEngineSink, TwoPhaseSettings}

/** `format("stoplog-wal")`: rows go to a log first, and then to whatever the option `sender` names. */
final class WriteAheadProvider extends TableProvider with DataSourceRegister with SessionConfigSupport {

  override def shortName(): String = "stoplog-wal"

  override def keyPrefix(): String = "stoplog-wal"

  /** The rows' schema comes with the write. */
  override def supportsExternalMetadata(): Boolean = true

  override def inferSchema(options: CaseInsensitiveStringMap): StructType =
    throw Errors.invalidOptions(Seq("stoplog-wal can only be written to."))

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: JMap[String, String]
  ): Table = {
    JarVersions.check("stoplog-wal", getClass)
    val options  = WriteAheadOptions.parse(SparkOptions.spelled(properties).toMap)
    val settings = TwoPhaseSettings.of(options.log, fixed = Map.empty)
    settings.path // rows have to lie somewhere, in a batch query too
    options.sender.check(options.passed, schema)
    SinkTable.twoPhase(
      new TwoPhaseEngineSink(
        schema,
        (rows: StructType) => new WriteAheadRows(options, rows, new LogPlace(settings)),
        settings
      ),
      properties
    )
  }
}
