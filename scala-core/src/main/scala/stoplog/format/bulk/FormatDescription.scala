// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.types.{DataType, StructType}

/** What a format of blocks says of itself ([[BulkFormat.describe]]), read back: JSON with the format's name, a version,
  * the schema, and settings.
  */
private[format] final class FormatDescription private (root: JsonNode, val schema: StructType) {

  def number(name: String): Int = root.path(name).asInt

  def texts(name: String): Map[String, String] =
    root.path(name).properties.asScala.map(entry => entry.getKey -> entry.getValue.asText).toMap
}

private[format] object FormatDescription {

  /** The version that is written, and the newest that can be read. */
  val Version: Int = 1

  def write(format: String, schema: StructType, numbers: (String, Int)*)(
      texts: (String, Map[String, String])*
  ): String = {
    val root = mapper.createObjectNode()
    root.put("format", format).put("version", Version)
    numbers.foreach { case (name, value) => root.put(name, value) }
    root.set[JsonNode]("schema", mapper.readTree(schema.json))
    for ((name, values) <- texts) {
      val node = root.putObject(name)
      values.toSeq.sorted.foreach { case (key, value) => node.put(key, value) }
    }
    root.toString
  }

  /** Error: `IllegalArgumentException` for any other text. */
  def read(format: String, described: String): FormatDescription = {
    def notOne(why: String) =
      new IllegalArgumentException(s"Not the description of a format '$format': $why.")
    val root =
      try mapper.readTree(described)
      catch { case e: JsonProcessingException => throw notOne(e.getOriginalMessage) }
    val version = root.path("version").asInt(0)
    if (root.path("format").asText != format) throw notOne("its format is another")
    else if (version < 1 || version > Version) throw notOne(s"its version is $version, known is $Version")
    else
      DataType.fromJson(root.path("schema").toString) match {
        case schema: StructType => new FormatDescription(root, schema)
        case other              => throw notOne(s"its schema is ${other.simpleString}")
      }
  }

  /** That a format is opened for the columns that it was made for. Whether one is nullable may differ between what was
    * planned and what runs.
    */
  def sameColumns(made: StructType, opened: StructType): Unit =
    require(
      columns(opened) == columns(made),
      s"Made for ${made.catalogString}, opened for ${opened.catalogString}."
    )

  private def columns(schema: StructType): Seq[(String, String)] =
    schema.map(field => field.name -> field.dataType.catalogString)

  private val mapper = new ObjectMapper()
}
