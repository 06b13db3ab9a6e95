// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import java.util.{List => JList}
import java.util.stream.{Stream => JStream}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.iceberg.{FileFormat, Metrics, MetricsConfig, Schema}
import org.apache.iceberg.mapping.NameMapping
import org.apache.iceberg.parquet.{ParquetSchemaUtil, ParquetUtil}
import org.apache.iceberg.types.{Type, Types}
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.MessageType

/** The columns and statistics of a file. Reads no rows. */
private[iceberg] trait FileFooter {

  def format: FileFormat

  /** The columns, all optional, with ids that mean nothing. */
  def schema: Schema

  /** The columns with the ids of the table, without columns that the mapping lacks. */
  def schema(mapping: NameMapping): Schema

  def metrics(config: MetricsConfig, mapping: NameMapping): Metrics

  def splitOffsets: JList[java.lang.Long]
}

private[iceberg] object FileFooter {

  /** Throws `FileNotFoundException` if the file does not exist, and [[Refusal]] if Iceberg does not have
    * the format.
    */
  def read(file: Path, configuration: Configuration): FileFooter = {
    val name = file.getName
    if (name.endsWith(".parquet"))
      Using.resource(ParquetFileReader.open(HadoopInputFile.fromPath(file, configuration))) { reader =>
        new ParquetFooter(name, reader.getFooter)
      }
    else if (name.endsWith(".orc")) OrcFooter.read(file, configuration)
    else
      throw new Refusal(
        s"the target adds Parquet and ORC files to Iceberg tables, and $name is neither. Set format to parquet or orc"
      )
  }

  /** Returns the type with optional fields: a later file may have nulls. */
  private[iceberg] def optional(of: Type): Type = of match {
    case struct: Types.StructType =>
      Types.StructType.of(
        struct.fields.asScala
          .map(field => Types.NestedField.optional(field.fieldId, field.name, optional(field.`type`)))
          .asJava
      )
    case list: Types.ListType => Types.ListType.ofOptional(list.elementId, optional(list.elementType))
    case map: Types.MapType   =>
      Types.MapType.ofOptional(map.keyId, map.valueId, optional(map.keyType), optional(map.valueType))
    case other => other
  }

  /** Throws [[Refusal]] with the name of the first column that Iceberg lacks. */
  private[iceberg] def converting[A](file: String, columns: Seq[A], name: A => String)(
      convert: A => Unit
  ): Unit =
    columns.foreach { column =>
      try convert(column)
      catch {
        case e @ (_: UnsupportedOperationException | _: IllegalArgumentException |
            _: IllegalStateException) =>
          throw new Refusal(
            s"Iceberg has no type for the column ${name(column)} of the file $file (${e.getMessage}). Cast or drop the column"
          )
      }
    }
}

private final class ParquetFooter(name: String, footer: ParquetMetadata) extends FileFooter {
  private val columns = footer.getFileMetaData.getSchema

  override def format: FileFormat = FileFormat.PARQUET

  override def schema: Schema = {
    FileFooter.converting(
      name,
      columns.getFields.asScala.toSeq,
      (_: org.apache.parquet.schema.Type).getName
    ) { column =>
      ParquetSchemaUtil.convert(new MessageType(columns.getName, column))
      ()
    }
    new Schema(FileFooter.optional(ParquetSchemaUtil.convert(columns).asStruct).asStructType.fields)
  }

  override def schema(mapping: NameMapping): Schema =
    ParquetSchemaUtil.convertAndPrune(
      if (ParquetSchemaUtil.hasIds(columns)) columns else ParquetSchemaUtil.applyNameMapping(columns, mapping)
    )

  override def metrics(config: MetricsConfig, mapping: NameMapping): Metrics =
    ParquetUtil.footerMetrics(footer, JStream.empty(), config, mapping)

  override def splitOffsets: JList[java.lang.Long] = ParquetUtil.getSplitOffsets(footer)
}
