package stoplog.store.s3

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import stoplog.store.s3.S3Token._

/** Tokens as they stand in the commit log: `{"v":1,"base":…,"target":…,"upload":…,"parts":[…],"tail":…}`.
  *
  * Every version ever written stays readable; a newer one is refused, because it may say more than is understood.
  */
private[s3] object S3TokenCodec {

  /** The version that is written, and the newest that can be read. */
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
    }
    token.tail match {
      case Tail.InRecord(content)   => root.put("tail", content.base64)
      case Tail.InObject(at, bytes) => root.putObject("tail").put("at", at).put("bytes", bytes)
    }
    if (token.stale.nonEmpty) {
      val stale = root.putArray("stale")
      token.stale.foreach(path => stale.add(path))
    }
    mapper.writeValueAsString(root)
  }

  /** `None` for anything that is not a token. Error: `IllegalArgumentException` for one that is too new. */
  def decode(text: String): Option[S3Token] = parse(text).filter(_.path("v").isInt).map { root =>
    val version = root.path("v").asInt()
    if (version > Version)
      throw new IllegalArgumentException(s"a part's handle has version $version, known up to $Version")
    S3Token(
      base = required(root, "base").asText(),
      target = required(root, "target").asText(),
      upload = Option(root.get("upload")).map { handle =>
        Upload(Handle(handle.asText()), elements(root.path("parts")).map(readPart))
      },
      tail = readTail(required(root, "tail")),
      stale = elements(root.path("stale")).map(_.asText())
    )
  }

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
    if (node.isTextual) Tail.InRecord(Handle(node.asText()))
    else Tail.InObject(required(node, "at").asText(), required(node, "bytes").asLong())

  private def elements(array: JsonNode): Vector[JsonNode] = array.elements().asScala.toVector

  private def required(from: JsonNode, field: String): JsonNode =
    Option(from.get(field)).getOrElse(throw new IllegalArgumentException(s"a handle has no field '$field'"))
}
