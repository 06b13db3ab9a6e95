// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.util.Locale

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/** Names in Spark, Delta Lake, Flink and Kafka Connect, and former names, with the options here. */
private[stoplog] final class OtherNames(own: Map[String, String]) {

  /** Returns the problem of an option that has another name here. Case, `_`, `-` and `.` of the key are
    * irrelevant.
    */
  def problem(key: String): Option[String] = own
    .get(OtherNames.plain(key))
    .filterNot(_.equalsIgnoreCase(key))
    .map(option => s"$key is not an option: use $option.")
}

private[stoplog] object OtherNames {
  lazy val ofSinks: OtherNames   = of("sink")
  lazy val ofSources: OtherNames = of("source")

  /** Returns the names for the options of a connector. */
  def ofConnector(id: String): OtherNames = of(id)

  // Python reads the same file.
  private val Resource = "/stoplog/shared/names.json"

  private lazy val tables: JsonNode =
    Using.resource(getClass.getResourceAsStream(Resource))(new ObjectMapper().readTree(_))

  private def of(direction: String): OtherNames = {
    val table = tables.get(direction)
    new OtherNames(
      table.fieldNames.asScala.map(name => plain(name) -> table.get(name).asText).toMap
    )
  }

  private def plain(name: String): String = name.toLowerCase(Locale.ROOT).replaceAll("[-_.]", "")
}
