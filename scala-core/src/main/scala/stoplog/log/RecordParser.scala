// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import scala.util.{Failure, Success, Try}

import com.fasterxml.jackson.core.{JsonParseException, JsonParser, JsonToken}
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode

import stoplog.part.Open

/** Parses the file of a record in one pass.
  *
  * A record may have a million open parts. Each part is decoded as soon as its object is read, because the
  * tree of all objects would need several times the memory of the file. The checksum is computed over the
  * bytes of the file.
  */
private[log] object RecordParser {

  /** The content of a file.
    *
    * @param version  0 without a version
    * @param checksum the recorded checksum of the body
    * @param body     `None` if the file contains no record
    */
  final class Envelope(val version: Int, val checksum: String, val body: Option[Body])

  /** The object of a record.
    *
    * @param fields   all fields, except the open parts of a whole state
    * @param open     the open parts of a whole state; `None` if the state has no list of open parts. A
    *                 failure counts only if the checksum is right
    * @param checksum the computed checksum
    */
  final class Body(val fields: ObjectNode, val open: Option[Try[Vector[Open]]], val checksum: String)

  /** Error: a `JsonProcessingException` for bytes that are not one JSON value; `None` if the value is not an
    * object.
    */
  def parse(bytes: Array[Byte]): Option[Envelope] = {
    val parser = mapper.getFactory.createParser(bytes)
    try
      if (parser.nextToken() == JsonToken.START_OBJECT) {
        val found = envelope(parser, bytes)
        refuseMore(parser)
        Some(found)
      } else None
    finally parser.close()
  }

  private def envelope(parser: JsonParser, bytes: Array[Byte]): Envelope = {
    var version  = 0
    var checksum = ""
    var found    = Option.empty[Body]
    eachField(parser) {
      case "version" => version = tree(parser).asInt(0)
      case "crc32c"  => checksum = tree(parser).asText("")
      case "record"  => found = body(parser, bytes)
      case _         => parser.skipChildren(): Unit
    }
    new Envelope(version, checksum, found)
  }

  private def body(parser: JsonParser, bytes: Array[Byte]): Option[Body] =
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      parser.skipChildren()
      None
    } else {
      val from   = parser.currentLocation().getByteOffset - 1
      val fields = mapper.createObjectNode()
      var open   = Option.empty[Try[Vector[Open]]]
      eachField(parser) {
        case "state" if parser.currentToken() == JsonToken.START_OBJECT && !fields.has("base") =>
          val state = mapper.createObjectNode()
          eachField(parser) {
            case "open" if parser.currentToken() == JsonToken.START_ARRAY =>
              open = Some(openParts(parser, state))
            case name => state.set[JsonNode](name, tree(parser)): Unit
          }
          fields.set[JsonNode]("state", state): Unit
        case name => fields.set[JsonNode](name, tree(parser)): Unit
      }
      val until = parser.currentLocation().getByteOffset
      Some(new Body(fields, open, RecordCodec.checksum(bytes, from.toInt, until.toInt)))
    }

  /** @param state the fields before the list: the settings name the schema that most parts have */
  private def openParts(parser: JsonParser, state: ObjectNode): Try[Vector[Open]] = {
    val usual = Try(RecordJson.usualSchema(state))
    val parts = Vector.newBuilder[Open]
    var wrong = Option.empty[Try[Vector[Open]]]
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      val part = tree(parser)
      if (wrong.isEmpty)
        Try(parts += RecordJson.readOpen(part, usual.get)).failed.foreach(e => wrong = Some(Failure(e)))
    }
    wrong.getOrElse(Success(parts.result()))
  }

  /** Calls `read` with the name of each field, at its value. `read` leaves the parser at the value's end. */
  private def eachField(parser: JsonParser)(read: String => Unit): Unit =
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      val name = parser.currentName()
      parser.nextToken()
      read(name)
    }

  private def tree(parser: JsonParser): JsonNode = mapper.readTree[JsonNode](parser)

  /** Trailing tokens make a record as invalid as missing bytes. */
  private def refuseMore(parser: JsonParser): Unit =
    if (parser.nextToken() != null) throw new JsonParseException(parser, "there are bytes after the record")

  private val mapper = new ObjectMapper()
}
