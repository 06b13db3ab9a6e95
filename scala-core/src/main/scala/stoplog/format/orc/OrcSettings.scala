package stoplog.format.orc

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.hadoop.conf.Configuration
import org.apache.orc.OrcConf
import org.apache.spark.sql.types.{DataType, StructType}

/** All that decides on the bytes of a file besides its rows, in a form that outlives the session.
  *
  * @param orc
  *   what Spark's writer found in its Hadoop configuration for orc-core
  * @param batchRows
  *   how many rows are handed to orc-core at once
  * @param metadata
  *   user metadata beyond Spark's own
  */
private[orc] final case class OrcSettings(
    schema: StructType,
    orc: Map[String, String],
    batchRows: Int,
    metadata: Map[String, String]
) {

  /** As orc-core names it: `ZSTD`, `NONE`. */
  def compression: String = OrcConf.COMPRESS.getString(configuration)

  def configuration: Configuration = {
    val conf = new Configuration(false)
    orc.foreach { case (key, value) => conf.set(key, value) }
    conf
  }

  def describe: String = {
    val root = OrcSettings.mapper.createObjectNode()
    root.put("format", "orc").put("version", OrcSettings.Version).put("batchRows", batchRows)
    root.set[JsonNode]("schema", OrcSettings.mapper.readTree(schema.json))
    for ((name, values) <- Seq("orc" -> orc, "metadata" -> metadata)) {
      val node = root.putObject(name)
      values.toSeq.sorted.foreach { case (key, value) => node.put(key, value) }
    }
    root.toString
  }
}

private[orc] object OrcSettings {

  /** The version of the description that is written, and the newest that can be read. */
  val Version: Int = 1

  def of(described: String): OrcSettings = {
    val root =
      try mapper.readTree(described)
      catch { case e: JsonProcessingException => throw notOne(e.getOriginalMessage) }
    val version = root.path("version").asInt(0)
    if (root.path("format").asText != "orc") throw notOne("its format is another")
    else if (version < 1 || version > Version) throw notOne(s"its version is $version, known is $Version")
    else
      DataType.fromJson(root.path("schema").toString) match {
        case schema: StructType =>
          OrcSettings(
            schema,
            texts(root.path("orc")),
            root.path("batchRows").asInt,
            texts(root.path("metadata"))
          )
        case other => throw notOne(s"its schema is ${other.simpleString}")
      }
  }

  private def texts(node: JsonNode): Map[String, String] =
    node.properties.asScala.map(entry => entry.getKey -> entry.getValue.asText).toMap

  private def notOne(why: String): IllegalArgumentException =
    new IllegalArgumentException(s"Not the description of an ORC format: $why.")

  private val mapper = new ObjectMapper()
}
