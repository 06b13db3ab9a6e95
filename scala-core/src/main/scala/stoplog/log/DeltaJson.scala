// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonGenerator
import com.fasterxml.jackson.databind.JsonNode

/** The fields of a record with a difference, as far as they differ from the fields of a whole record.
  *
  * Each part records its own schema, because the record lacks the schema shared by most parts.
  */
private[log] object DeltaJson {
  import JsonFields._

  def writeBase(base: Base, into: JsonGenerator): Unit = {
    into.writeObjectFieldStart("base")
    into.writeNumberField("whole", base.whole)
    into.writeStringField("crc32c", base.checksum)
    into.writeEndObject()
  }

  def readBase(record: JsonNode): Base = {
    val base = required(record, "base")
    Base(long(base, "whole"), text(base, "crc32c"))
  }

  /** @param after the later state
    */
  def writeState(after: SinkState, delta: StateDelta, into: JsonGenerator): Unit = {
    into.writeObjectFieldStart("state")
    RecordJson.writeScalars(after, into)
    delta.settings.foreach(RecordJson.writeSettings(_, into))
    import delta.lists.{live, open, small}
    into.writeArrayFieldStart("open")
    open.put.foreach(RecordJson.writeOpen(_, usual = None, into))
    into.writeEndArray()
    writeGone("openGone", open.gone, into)
    ListsJson.writeLive(live.put, into)
    writeGone("liveGone", live.gone, into)
    ListsJson.writeFinished("small", small.put, into)
    writeGone("smallGone", small.gone, into)
    into.writeEndObject()
  }

  def readState(record: JsonNode): StateDelta = {
    val from    = required(record, "state")
    val scalars = RecordJson.readScalars(from)
    StateDelta(
      scalars.newest,
      scalars.nextPart,
      settings = Option.when(from.has("settings"))(RecordJson.readSettings(from)),
      ListDeltas(
        StateDelta.ListDelta(
          objects(from, "open").map(RecordJson.readOpen(_, usual = None)),
          readGone(from, "openGone")
        ),
        StateDelta.ListDelta(ListsJson.readLive(from), readGone(from, "liveGone")),
        StateDelta.ListDelta(ListsJson.readFinished("small", from), readGone(from, "smallGone"))
      )
    )
  }

  /** Omits the field for an empty list. */
  private def writeGone(field: String, keys: Vector[String], into: JsonGenerator): Unit =
    if (keys.nonEmpty) {
      into.writeArrayFieldStart(field)
      keys.foreach(into.writeString)
      into.writeEndArray()
    }

  private def readGone(from: JsonNode, field: String): Vector[String] =
    if (!from.has(field)) Vector.empty
    else {
      val list = required(from, field)
      if (!list.isArray || !list.elements().asScala.forall(_.isTextual))
        throw new IllegalArgumentException(s"field '$field' is not a list of strings")
      list.elements().asScala.map(_.asText()).toVector
    }
}
