// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.iceberg.CatalogProperties
import org.apache.iceberg.catalog.TableIdentifier
import org.apache.iceberg.util.EnvironmentUtil

import stoplog.announce.setting.TargetSettings
import stoplog.announce.table.{NewColumns, TableOptions}
import stoplog.options.{Opt, OptionGroup, OptionType}

/** The settings of a target.
  *
  * @param catalog     the name of the catalog
  * @param properties  of the catalog, by Iceberg's names
  * @param creation    `None` if the table must exist
  * @param derivedKeys the keys of directories whose values are computed from columns of the files
  * @param location    the sink's path for readers of the table; `None` for the path of the sink
  */
private[iceberg] final case class IcebergSettings(
    catalog: String,
    properties: Map[String, String],
    table: TableIdentifier,
    creation: Option[TableCreation],
    newColumns: NewColumns,
    derivedKeys: Set[String],
    location: Option[String]
)

private[iceberg] object IcebergSettings {
  case object Iceberg extends OptionGroup("Iceberg")

  private val ofTable = new TableOptions(Iceberg)

  val Table: Opt[TableIdentifier] =
    Iceberg.required("table", parsed("table name")(TableIdentifier.parse), "db.events")(
      "The table in the catalog."
    )

  val Catalog: Opt[String] = Iceberg.withDefault(
    "catalog",
    OptionType.text.copy(takesParameters = true),
    "iceberg",
    "lake"
  )("The name of the catalog. `catalog.<property>` are its properties by Iceberg's names.")

  val Partition: Opt[Vector[PartitionColumn]] = Iceberg.option(
    "partition",
    parsed("list of columns and transforms")(PartitionColumn.all),
    "country, day(ts)"
  )("none", "The partitioning of a created table.")

  val FormatVersion: Opt[Int] =
    Iceberg.withDefault("formatVersion", OptionType.words("2" -> 2, "3" -> 3), 2, "3")(
      "The format version of a created table."
    )

  val Location: Opt[String] = Iceberg.option("location", OptionType.directory, "s3://lake/events")(
    "the path of the sink",
    "The path of the sink for readers of the table."
  )

  private val all: Seq[Opt[_]] = Seq(
    Table,
    Catalog,
    ofTable.create,
    Partition,
    FormatVersion,
    ofTable.newColumns,
    ofTable.derivedKeys,
    Location
  )

  /** The names for the core. */
  val Names: Set[String] = all.map(_.key).toSet + s"${Catalog.key}.*"

  def of(settings: JMap[String, String]): IcebergSettings = TargetSettings.read(settings, all) { reader =>
    val properties = reader.parametersOf(Catalog).toMap
    if (!properties.contains(Type) && !properties.contains(CatalogProperties.CATALOG_IMPL))
      reader.errors.add(s"${Catalog.key}.$Type is not set.")
    if (!reader.isSet(Table)) reader.errors.add(s"${Table.key} is not set.")
    IcebergSettings(
      catalog = reader(Catalog),
      properties = EnvironmentUtil.resolveAll(properties.asJava).asScala.toMap,
      table = reader.get(Table).getOrElse(TableIdentifier.of(Table.key)),
      creation = ofTable.creation(reader, Partition, FormatVersion) {
        TableCreation(reader.get(Partition).getOrElse(Vector.empty), reader(FormatVersion))
      },
      newColumns = reader(ofTable.newColumns),
      derivedKeys = ofTable.derivedKeysOf(reader),
      location = reader.text(Location).map(_.trim.stripSuffix("/"))
    )
  }

  private def parsed[A](described: String)(parse: String => A): OptionType[A] = OptionType(
    described,
    text =>
      Try(parse(text.trim)).toEither.left.map(e => s"is not a $described: ${String.valueOf(e.getMessage)}"),
    String.valueOf(_)
  )

  private val Type = "type"
}
