// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import com.fasterxml.jackson.core.JsonGenerator
import com.fasterxml.jackson.databind.JsonNode

import stoplog.part.{FinishedPart, SchemaId}

/** Finished parts in a record. Each says all of itself: those of one list may be of several runs. */
private[log] object FinishedPartJson {
  import JsonFields._

  def write(field: String, parts: Vector[FinishedPart], into: JsonGenerator): Unit = {
    into.writeArrayFieldStart(field)
    parts.foreach { part =>
      into.writeStartObject()
      into.writeStringField("bucket", part.bucket)
      into.writeStringField("name", part.name)
      into.writeNumberField("bytes", part.sizeBytes)
      into.writeNumberField("records", part.records)
      into.writeNumberField("epoch", part.epoch)
      if (part.merges > 0) into.writeNumberField("merges", part.merges)
      part.schema.foreach(id => into.writeStringField("schema", id.value))
      into.writeEndObject()
    }
    into.writeEndArray()
  }

  /** None where there is no such field. */
  def read(field: String, from: JsonNode): Vector[FinishedPart] =
    if (from.get(field) == null) Vector.empty
    else
      objects(from, field).map { node =>
        FinishedPart(
          bucket = path(node, "bucket"),
          name = name(node, "name"),
          sizeBytes = long(node, "bytes"),
          records = long(node, "records"),
          epoch = long(node, "epoch"),
          merges = if (node.has("merges")) long(node, "merges").toInt else 0,
          schema = Option(node.get("schema")).map(id => SchemaId(id.asText()))
        )
      }
}
