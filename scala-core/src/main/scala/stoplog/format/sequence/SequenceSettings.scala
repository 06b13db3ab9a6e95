// SPDX-License-Identifier: Apache-2.0
package stoplog.format.sequence

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.io.SequenceFile.CompressionType

/** How a file is written, with nothing left to the session.
  *
  * @param compression what is compressed
  * @param codec       a class of Hadoop's; not used where nothing is compressed
  * @param metadata    of the header, by key
  * @param hadoop      the settings that the writer and the codec read
  */
private[sequence] final case class SequenceSettings(
    compression: CompressionType,
    codec: String,
    metadata: Map[String, String],
    hadoop: Map[String, String]
) {

  def configuration: Configuration = {
    val made = new Configuration(false)
    hadoop.foreach { case (key, value) => made.set(key, value) }
    made
  }

  def toJson: String = {
    val json = SequenceSettings.mapper.createObjectNode()
    json.put("compression", compression.name)
    json.put("codec", codec)
    put(json.putObject("metadata"), metadata)
    put(json.putObject("hadoop"), hadoop)
    SequenceSettings.mapper.writeValueAsString(json)
  }

  private def put(json: ObjectNode, entries: Map[String, String]): Unit =
    entries.toSeq.sorted.foreach { case (key, value) => json.put(key, value) }
}

private[sequence] object SequenceSettings {

  def ofJson(text: String): SequenceSettings = {
    val json                  = mapper.readTree(text)
    def entries(name: String) =
      json.required(name).properties.asScala.map(e => e.getKey -> e.getValue.asText).toMap
    SequenceSettings(
      compression = CompressionType.valueOf(json.required("compression").asText),
      codec = json.required("codec").asText,
      metadata = entries("metadata"),
      hadoop = entries("hadoop")
    )
  }

  private val mapper = new ObjectMapper
}
