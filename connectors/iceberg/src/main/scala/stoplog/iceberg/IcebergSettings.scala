// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import java.util.{Locale, Map => JMap}

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.iceberg.CatalogProperties
import org.apache.iceberg.catalog.TableIdentifier
import org.apache.iceberg.util.EnvironmentUtil

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

  /** The names for the core. */
  val Names: Set[String] =
    Set("catalog", "catalog.*", "table", "create", "partition", "formatVersion", "newColumns") ++
      Set("derivedKeys", "location")

  /** @param name the name of the target, for messages */
  def of(name: String, settings: JMap[String, String]): IcebergSettings = {
    val values = settings.asScala.map { case (key, value) =>
      key.toLowerCase(Locale.ROOT) -> value.trim
    }.toMap
    val reader   = new Reader(name, values)
    val creation = reader.choice("create", "never", "ifMissing") match {
      case "never" => None
      case _       =>
        Some(
          TableCreation(
            reader.parsed("partition")(PartitionColumn.all).getOrElse(Vector.empty),
            reader.version
          )
        )
    }
    if (creation.isEmpty)
      Seq("partition", "formatVersion").filter(reader.get(_).isDefined).foreach { setting =>
        throw reader.invalid(setting, "absent unless create is ifMissing")
      }
    IcebergSettings(
      catalog = reader.get("catalog").getOrElse("iceberg"),
      properties = reader.catalogProperties,
      table = reader.parsed("table")(TableIdentifier.parse).getOrElse(throw reader.missing("table")),
      creation = creation,
      newColumns =
        if (reader.choice("newColumns", "refuse", "add") == "add") NewColumns.Add else NewColumns.Refuse,
      derivedKeys = reader.get("derivedKeys").fold(Set.empty[String])(_.split(",").map(_.trim).toSet),
      location = reader.get("location").map(_.stripSuffix("/"))
    )
  }

  private final class Reader(name: String, values: Map[String, String]) {

    def get(setting: String): Option[String] = values.get(setting.toLowerCase(Locale.ROOT)).filter(_.nonEmpty)

    /** Returns one of the choices; the first choice is the default. */
    def choice(setting: String, choices: String*): String = get(setting).fold(choices.head) { value =>
      choices.find(_.equalsIgnoreCase(value)).getOrElse(throw invalid(setting, choices.mkString(" or ")))
    }

    def parsed[A](setting: String)(parse: String => A): Option[A] = get(setting).map { value =>
      try parse(value)
      catch { case NonFatal(e) => throw invalid(setting, s"a valid value (${e.getMessage})") }
    }

    def version: Int = choice("formatVersion", "2", "3").toInt

    def catalogProperties: Map[String, String] = {
      val named = values.collect {
        case (key, value) if key.startsWith(Prefix) => key.drop(Prefix.length) -> value
      }
      if (!named.contains(Type) && !named.contains(CatalogProperties.CATALOG_IMPL))
        throw missing(s"$Prefix$Type")
      EnvironmentUtil.resolveAll(named.asJava).asScala.toMap
    }

    def missing(setting: String): IllegalArgumentException =
      new IllegalArgumentException(s"The setting $setting of the announcement target $name is missing")

    def invalid(setting: String, wanted: String): IllegalArgumentException = new IllegalArgumentException(
      s"The setting $setting of the announcement target $name is '${get(setting).getOrElse("")}' and must be $wanted"
    )
  }

  private val Prefix = "catalog."
  private val Type   = "type"
}

/** The rule for columns of a file that the table does not have. */
private[iceberg] sealed trait NewColumns
private[iceberg] object NewColumns {
  case object Refuse extends NewColumns
  case object Add    extends NewColumns
}
