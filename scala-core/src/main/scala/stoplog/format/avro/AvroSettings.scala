// SPDX-License-Identifier: Apache-2.0
package stoplog.format.avro

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper

/** How a file is written, with nothing left to the session.
  *
  * @param schema             Avro's, as JSON
  * @param syncIntervalBytes  how large a block gets before compression
  * @param fieldMatching      how columns find their fields in a schema that the user gave
  * @param rebaseMode         of dates before 1582: one of Spark's `LegacyBehaviorPolicy`
  * @param metadata           of the header, by key
  */
private[avro] final case class AvroSettings(
    schema: String,
    codec: AvroCodec,
    syncIntervalBytes: Int,
    fieldMatching: FieldMatching,
    rebaseMode: String,
    metadata: Map[String, String]
) {

  def toJson: String = {
    val json = AvroSettings.mapper.createObjectNode()
    json.put("schema", schema)
    json.put("codec", codec.name)
    json.put("level", codec.level)
    json.put("bufferPool", codec.bufferPool)
    json.put("syncIntervalBytes", syncIntervalBytes)
    json.put("fieldMatching", fieldMatching.word)
    json.put("rebaseMode", rebaseMode)
    val entries = json.putObject("metadata")
    metadata.toSeq.sorted.foreach { case (key, value) => entries.put(key, value) }
    AvroSettings.mapper.writeValueAsString(json)
  }
}

private[avro] object AvroSettings {

  def ofJson(text: String): AvroSettings = {
    val json = mapper.readTree(text)
    AvroSettings(
      schema = json.required("schema").asText,
      codec = AvroCodec(
        json.required("codec").asText,
        json.required("level").asInt,
        json.required("bufferPool").asBoolean
      ),
      syncIntervalBytes = json.required("syncIntervalBytes").asInt,
      fieldMatching = FieldMatching.of(json.required("fieldMatching").asText),
      rebaseMode = json.required("rebaseMode").asText,
      metadata = json.required("metadata").properties.asScala.map(e => e.getKey -> e.getValue.asText).toMap
    )
  }

  private val mapper = new ObjectMapper
}

/** How columns find their fields in Avro's schema. */
private[avro] sealed abstract class FieldMatching(val word: String) extends Product with Serializable

private[avro] object FieldMatching {
  case object ByName     extends FieldMatching("name")
  case object ByPosition extends FieldMatching("position")

  def of(word: String): FieldMatching =
    Seq(ByName, ByPosition)
      .find(_.word == word)
      .getOrElse(throw new IllegalArgumentException(s"unknown field matching '$word'"))
}
