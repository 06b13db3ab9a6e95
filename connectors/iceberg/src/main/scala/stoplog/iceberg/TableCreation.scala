// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import scala.jdk.CollectionConverters._

import org.apache.iceberg.{PartitionSpec, Schema, TableProperties}
import org.apache.iceberg.catalog.{Catalog, Namespace, SupportsNamespaces, TableIdentifier}
import org.apache.iceberg.exceptions.AlreadyExistsException
import org.apache.iceberg.types.{Type, Types}

import stoplog.announce.table.Refusal

/** The creation of a missing table with the first files.
  *
  * @param partition of the table
  * @param version   the format version of the table
  */
private[iceberg] final case class TableCreation(partition: Vector[PartitionColumn], version: Int) {

  /** Creates the table. Another driver may create the table at the same time.
    *
    * @param file the columns of the first file
    */
  def create(catalog: Catalog, table: TableIdentifier, file: Schema): Unit = {
    createNamespace(catalog, table.namespace)
    val columns = schemaOf(file)
    try
      catalog
        .buildTable(table, columns)
        .withPartitionSpec(specOf(columns))
        .withProperty(TableProperties.FORMAT_VERSION, version.toString)
        .create()
    catch {
      case _: AlreadyExistsException                                    => ()
      case e @ (_: IllegalArgumentException | _: IllegalStateException) =>
        throw new Refusal(
          s"Iceberg cannot create the table: ${e.getMessage}. Create the table, or correct the columns"
        )
    }
  }

  /** Throws [[Refusal]] if an existing table has another partitioning. */
  def refuseOther(table: PartitionSpec): Unit = if (partition.nonEmpty) {
    val wanted = specOf(table.schema)
    if (!wanted.compatibleWith(table))
      throw new Refusal(
        s"the table has the partitioning ${shown(table)}, and the setting partition requires ${shown(wanted)}. " +
          "Correct or remove the setting partition"
      )
  }

  /** The columns of the file, and then partition columns that are only in directories. Some readers ignore
    * the mapping of names, and find columns by their place in the file.
    */
  private def schemaOf(file: Schema): Schema = {
    val columns = file.columns.asScala.toVector
    val first   = file.highestFieldId + 1
    val added   = partition.filter(column => column.isIdentity && file.findField(column.name) == null)
    val keys    = added.zipWithIndex.map { case (column, i) =>
      Types.NestedField.optional(first + i, column.name, column.dataType)
    }
    new Schema((columns ++ keys).asJava)
  }

  private def specOf(schema: Schema): PartitionSpec = {
    val spec = PartitionSpec.builderFor(schema)
    partition.foreach(_.addTo(spec))
    spec.build()
  }

  private def shown(spec: PartitionSpec): String =
    spec.fields.asScala
      .map(field => s"${field.transform}(${spec.schema.findColumnName(field.sourceId)})")
      .mkString("[", ", ", "]")

  private def createNamespace(catalog: Catalog, name: Namespace): Unit = catalog match {
    case namespaces: SupportsNamespaces if !name.isEmpty && !namespaces.namespaceExists(name) =>
      try namespaces.createNamespace(name)
      catch { case _: AlreadyExistsException => () }
    case _ => ()
  }
}

/** A field of the setting `partition`.
  *
  * @param transform Iceberg's name: `identity`, `year`, `month`, `day`, `hour`, `bucket` or `truncate`
  * @param width     of `bucket` and `truncate`
  * @param dataType  of a column that is only in directories
  */
private[iceberg] final case class PartitionColumn(
    name: String,
    transform: String,
    width: Int,
    dataType: Type
) {

  def isIdentity: Boolean = transform == PartitionColumn.Identity

  def addTo(spec: PartitionSpec.Builder): Unit = transform match {
    case PartitionColumn.Identity => spec.identity(name)
    case "year"                   => spec.year(name)
    case "month"                  => spec.month(name)
    case "day"                    => spec.day(name)
    case "hour"                   => spec.hour(name)
    case "bucket"                 => spec.bucket(name, width)
    case "truncate"               => spec.truncate(name, width)
    case other                    => throw new IllegalArgumentException(s"there is no transform $other")
  }
}

private[iceberg] object PartitionColumn {
  private val Identity  = "identity"
  private val Column    = """(\w+)(?:\s*:\s*(\w.*))?""".r
  private val Transform = """(year|month|day|hour|bucket|truncate)\(\s*(?:(\d+)\s*,\s*)?(\w+)\s*\)""".r

  /** Parses a list such as `country, region:string, day(ts), truncate(4, zip)`. */
  def all(text: String): Vector[PartitionColumn] =
    text.split(""",(?![^(]*\))""").toVector.map(_.trim).map {
      case Transform(of, width, name) =>
        val isWide = of == "bucket" || of == "truncate"
        if (isWide != (width != null))
          throw new IllegalArgumentException(s"$of needs ${if (isWide) "a" else "no"} width")
        PartitionColumn(name, of, Option(width).fold(0)(_.toInt), Types.StringType.get)
      case Column(name, of) =>
        PartitionColumn(
          name,
          Identity,
          0,
          Option(of).fold[Type](Types.StringType.get)(Types.fromPrimitiveString)
        )
      case other =>
        throw new IllegalArgumentException(s"$other is not a column, column:type or transform(column)")
    }
}
