// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import java.util.{List => JList}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.iceberg.{FileFormat, Metrics, MetricsConfig, Schema}
import org.apache.iceberg.mapping.NameMapping
import org.apache.iceberg.types.Types

import stoplog.announce.table.Refusal

/** The columns and statistics of a file. Reads no rows. */
private[iceberg] abstract class FileFooter {
  import FileFooter._

  def format: FileFormat

  def metrics(config: MetricsConfig, mapping: NameMapping): Metrics

  def splitOffsets: JList[java.lang.Long]

  /** The columns, all optional: a later file may have nulls. The ids have no meaning. */
  final def schema: Schema = {
    var last = 0
    new Schema(columns { (_, _) => last += 1; Some(last) }.fields)
  }

  /** The columns with the ids of the table, without columns that the mapping lacks. */
  final def schema(mapping: NameMapping): Schema = new Schema(
    columns { (path, own) =>
      if (hasIds) own else Option(mapping.find(path.asJava)).flatMap(found => Option(found.id))
    }.fields
  )

  /** Whether the file has ids of columns. */
  def hasIds: Boolean

  /** The columns with these ids. Throws [[Refusal]] if Iceberg lacks the type of a column. */
  protected def columns(ids: Ids): Types.StructType
}

private[iceberg] object FileFooter {

  /** Returns the id of a field by its path and the id in the file; `None` leaves the field out. */
  type Ids = (Vector[String], Option[Integer]) => Option[Integer]

  /** Throws `FileNotFoundException` if the file does not exist, and [[Refusal]] for other formats. */
  def read(file: Path, configuration: Configuration): FileFooter = {
    val name = file.getName
    if (name.endsWith(".parquet")) ParquetFooter.read(file, configuration)
    else if (name.endsWith(".orc")) OrcFooter.read(file, configuration)
    else
      throw new Refusal(
        s"the target adds Parquet and ORC files to Iceberg tables, and $name is neither. Set format to parquet or orc"
      )
  }

  /** Names the file and the column for which Iceberg lacks a type. */
  def naming[A](file: String, column: String)(convert: => A): A =
    try convert
    catch {
      case e @ (_: UnsupportedOperationException | _: IllegalArgumentException) =>
        throw new Refusal(
          s"Iceberg has no type for the column $column of the file $file (${e.getMessage}). Cast or drop the column"
        )
    }

  /** Returns the id of an element, a key or a value, which has no meaning without an id. */
  def required(path: Vector[String], own: Option[Integer], ids: Ids): Integer = ids(path, own).getOrElse(
    throw new Refusal(s"the name mapping of the table lacks ${path.mkString(".")}. Add the name")
  )
}
