// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types._

import stoplog.writing.{OnBadRow, PartFormat}
import stoplog.fault.Step
import stoplog.format.avro.AvroFormat
import stoplog.format.bulk._
import stoplog.format.orc.OrcBulk
import stoplog.format.parquet.ParquetBulk

import stoplog.storage.SpoolFiles
import stoplog.storage.hadoop.HadoopDefaults

/** One of the formats whose files Spark writes as well. */
sealed abstract class TypedFormat(val name: String, val reader: FileFormat)
    extends Product
    with Serializable {

  /** Behind the first one. */
  def columns: StructType = TypedFormat.AllTypes

  final lazy val schema: StructType = StructType(StructField("line", StringType) +: columns)

  def parts(spoolFiles: SpoolFiles): PartFormat[InternalRow]

  /** The steps that a query never passes. */
  def without: Set[Step]

  protected final def blocks(format: BlockFormat, spoolFiles: SpoolFiles): PartFormat[InternalRow] = {
    format.open(schema)
    new BulkParts(BulkSink(name, schema, format, PartLife.ManyEpochs), identity, spoolFiles, OnBadRow.Fail)
  }
}

object TypedFormat {
  private val AllTypes: StructType = StructType.fromDDL(
    """ok BOOLEAN, b TINYINT, s SMALLINT, i INT, l BIGINT NOT NULL, f FLOAT, d DOUBLE, text STRING, raw BINARY,
      |day DATE, at TIMESTAMP, wall TIMESTAMP_NTZ, dec DECIMAL(9, 2), big DECIMAL(38, 10), years INTERVAL YEAR TO MONTH,
      |span INTERVAL DAY TO SECOND, list ARRAY<INT>, names MAP<STRING, DECIMAL(12, 4)>,
      |deep STRUCT<a: INT, inner: STRUCT<b: ARRAY<STRUCT<c: TIMESTAMP>>, m: MAP<STRING, ARRAY<STRING>>>>""".stripMargin
  )

  /** In row groups of a few rows: parts have several, some end with their epoch, and rows wait for the next one. */
  case object Parquet extends TypedFormat("parquet", new ParquetFileFormat) {
    override def without: Set[Step] = Set.empty

    override def parts(spoolFiles: SpoolFiles): PartFormat[InternalRow] = {
      val options = Map("parquet.block.size" -> "1200")
      blocks(
        ParquetBulk(schema, options, session.sessionState.conf, HadoopDefaults.configuration()),
        spoolFiles
      )
    }
  }

  /** In one stripe: all rows wait until their part ends. */
  case object Orc extends TypedFormat("orc", new OrcFileFormat) {
    override def without: Set[Step] = Set.empty

    override def parts(spoolFiles: SpoolFiles): PartFormat[InternalRow] =
      blocks(
        OrcBulk(schema, Map.empty, session.sessionState.conf, HadoopDefaults.configuration()),
        spoolFiles
      )
  }

  /** No row waits beyond its epoch. */
  case object Avro extends TypedFormat("avro", TypedFormat.avroReader) {
    override def without: Set[Step] = Steps.ofBlocks

    /** Spark's reader takes no small integers from it where they are asked for. */
    override def columns: StructType =
      StructType(super.columns.filterNot(column => Set[DataType](ByteType, ShortType)(column.dataType)))

    override def parts(spoolFiles: SpoolFiles): PartFormat[InternalRow] = {
      val format = AvroFormat(schema, Map.empty, session)
      format.open(schema)
      new SyncedParts(format, identity)
    }
  }

  val all: Vector[TypedFormat] = Vector(Parquet, Orc, Avro)

  private def session = SparkSession.active

  // Of the module spark-avro, which compiles nobody against it.
  private def avroReader: FileFormat =
    Class
      .forName("org.apache.spark.sql.avro.AvroFileFormat")
      .getDeclaredConstructor()
      .newInstance()
      .asInstanceOf[FileFormat]
}
