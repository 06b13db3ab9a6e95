// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import stoplog.part.RecordBytes
import stoplog.storage.s3.S3Token._

/** Encodes tokens for the commit log: `{"v":1,"base":…,"target":…,"upload":…,"parts":[…],"next":…,"tail":…}`.
  *
  * A newer version is rejected, because it may contain unknown data.
  */
private[s3] object S3TokenCodec {

  /** The version of all written tokens. */
  val Version: Int = 1

  def encode(token: S3Token): String = {
    val root = mapper.createObjectNode()
    root.put("v", Version)
    root.put("base", token.base)
    root.put("target", token.target)
    token.upload.foreach { upload =>
      root.put("upload", upload.handle.base64)
      val parts = root.putArray("parts")
      upload.parts.foreach { part =>
        parts.addObject().put("n", part.number).put("bytes", part.bytes).put("handle", part.handle.base64)
      }
      upload.room match {
        case S3Token.S3Room.Writer(from)    => root.put("next", from)
        case S3Token.S3Room.Publisher(from) => root.put("nextOfPublisher", from)
      }
    }
    if (token.waiting.nonEmpty) {
      val waiting = root.putArray("waiting")
      token.waiting.foreach(piece => waiting.addObject().put("at", piece.at).put("bytes", piece.bytes))
    }
    token.tail match {
      case Tail(None, inRecord)              => root.put("tail", inRecord.base64)
      case Tail(Some(Piece(at, bytes)), end) =>
        val tail = root.putObject("tail").put("at", at).put("bytes", bytes)
        if (!end.isEmpty) tail.put("end", end.base64)
    }
    if (token.stale.nonEmpty) {
      val stale = root.putArray("stale")
      token.stale.foreach(path => stale.add(path))
    }
    mapper.writeValueAsString(root)
  }

  /** Returns `None` if the text is not a token. Error: `IllegalArgumentException` for a newer version. */
  def decode(text: String): Option[S3Token] = parse(text).filter(_.path("v").isInt).map { root =>
    val version = root.path("v").asInt()
    if (version > Version)
      throw new IllegalArgumentException(s"a part's handle has version $version, known up to $Version")
    S3Token(
      base = required(root, "base").asText(),
      target = required(root, "target").asText(),
      upload = Option(root.get("upload")).map { handle =>
        val parts = elements(root.path("parts")).map(readPart)
        Upload(Handle(handle.asText()), parts, readRoom(root))
      },
      waiting = elements(root.path("waiting")).map(readPiece),
      tail = readTail(required(root, "tail")),
      stale = elements(root.path("stale")).map(_.asText())
    )
  }

  /** Returns false if the token has no upload. Costs less than [[decode]]; most of many tokens have none. */
  def mayHaveUpload(text: String): Boolean = text.contains("\"upload\"")

  private val mapper = new ObjectMapper()

  private def parse(text: String): Option[JsonNode] =
    try Option(mapper.readTree(text)).filter(_.isObject)
    catch { case _: JsonProcessingException => None }

  private def readPart(node: JsonNode): UploadedPart =
    UploadedPart(
      number = required(node, "n").asInt(),
      bytes = required(node, "bytes").asLong(),
      handle = Handle(required(node, "handle").asText())
    )

  private def readTail(node: JsonNode): Tail =
    if (node.isTextual) Tail(None, RecordBytes(node.asText()))
    else Tail(Some(readPiece(node)), RecordBytes(node.path("end").asText("")))

  private def readPiece(node: JsonNode): Piece =
    Piece(required(node, "at").asText(), required(node, "bytes").asLong())

  private def readRoom(root: JsonNode): S3Token.S3Room =
    if (root.has("next")) S3Token.S3Room.Writer(root.path("next").asInt())
    else S3Token.S3Room.Publisher(required(root, "nextOfPublisher").asInt())

  private def elements(array: JsonNode): Vector[JsonNode] = array.elements().asScala.toVector

  private def required(from: JsonNode, field: String): JsonNode =
    Option(from.get(field)).getOrElse(throw new IllegalArgumentException(s"a handle has no field '$field'"))
}
