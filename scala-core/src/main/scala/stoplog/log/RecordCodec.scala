// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import java.io.{ByteArrayOutputStream, OutputStreamWriter}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.zip.CRC32C

import scala.jdk.CollectionConverters._
import scala.util.Using
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.{DeserializationFeature, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode

import stoplog.part.Open

/** Records as bytes: one JSON object `{"version":1,"crc32c":"…","record":{…}}`, the checksum over the inner object.
  *
  * The version is that of the log's format and not of the library. A reader refuses a version above its own by
  * name, because it could not know what it leaves out. Every version ever written stays readable: its golden files
  * are among the tests.
  */
private[stoplog] object RecordCodec {

  /** The newest version that can be read. */
  val Version: Int = 3

  /** The version to write: the oldest that says all of it, so that a record that needs nothing new can be read by
    * an older release.
    */
  private def version(record: LogRecord): Int =
    if (record.replace.nonEmpty) 3 // a release that publishes and replaces nothing shows rows twice
    else if (!record.follow.isEmpty || record.state.live.nonEmpty) 3
    else if (record.state.open.exists(!_.beside.isEmpty)) 2
    else 1

  /** The reason why bytes are not a record that can be used. */
  sealed trait Problem
  final case class Torn(why: String)      extends Problem
  final case class TooNew(version: Int)   extends Problem
  final case class Elsewhere(why: String) extends Problem

  def encode(record: LogRecord): Array[Byte] = {
    val body = new ByteArrayOutputStream()
    // Through a writer, as the checksum is taken by a reader: the other way escapes what lies beyond 16 bits.
    val text = new OutputStreamWriter(body, UTF_8.newEncoder())
    Using.resource(mapper.getFactory.createGenerator(text))(RecordJson.write(record, _))
    val root = new ByteArrayOutputStream(body.size + EnvelopeBytes)
    root.write(
      s"""{"version":${version(record)},"crc32c":"${checksum(body.toByteArray)}","record":""".getBytes(UTF_8)
    )
    body.writeTo(root)
    root.write('}')
    root.toByteArray
  }

  def decode(bytes: Array[Byte]): Either[Problem, LogRecord] =
    parse(bytes).flatMap { root =>
      val version = root.path("version").asInt(0)
      if (version > Version) Left(TooNew(version))
      else if (version < 1) Left(Torn("it has no version"))
      else
        root.get("record") match {
          case body: ObjectNode if checksum(bytesOf(body)) == root.path("crc32c").asText("") =>
            read(body).filterOrElse(this.version(_) == version, Torn("it is of another version than it says"))
          case _: ObjectNode => Left(Torn("its checksum does not match"))
          case _             => Left(Torn("it has no record in it"))
        }
    }

  // A record that goes on behind its end is as torn as one that stops before it.
  private val mapper = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)

  private def parse(bytes: Array[Byte]): Either[Problem, ObjectNode] =
    if (bytes.isEmpty) Left(Torn("it is empty"))
    else
      try
        mapper.readTree(bytes) match {
          case node: ObjectNode => Right(node)
          case _                => Left(Torn("it is not a JSON object"))
        }
      catch { case NonFatal(_) => Left(Torn("it ends in the middle, or is not JSON")) }

  private def read(body: ObjectNode): Either[Problem, LogRecord] =
    try Right(RecordJson.read(body))
    catch {
      case e: PathElsewhere => Left(Elsewhere(e.getMessage))
      case NonFatal(e)      => Left(Torn(s"a field is missing or of another type (${e.getMessage})"))
    }

  private def bytesOf(body: ObjectNode): Array[Byte] = mapper.writeValueAsString(body).getBytes(UTF_8)

  private def checksum(body: Array[Byte]): String = {
    val crc = new CRC32C()
    crc.update(body)
    "%08x".format(crc.getValue)
  }

  /** Open parts outside of a record: as a record says them, so that nothing of them is left out. */
  def encodeOpen(parts: Vector[Open]): Array[Byte] = {
    val bytes = new ByteArrayOutputStream(parts.size * OpenPartBytes)
    Using.resource(mapper.getFactory.createGenerator(bytes)) { into =>
      into.writeStartArray()
      parts.foreach(RecordJson.writeOpen(_, usual = None, into))
      into.writeEndArray()
    }
    bytes.toByteArray
  }

  def decodeOpen(bytes: Array[Byte]): Vector[Open] =
    mapper.readTree(bytes).elements().asScala.map(RecordJson.readOpen(_, usual = None)).toVector

  private final val EnvelopeBytes = 64

  private final val OpenPartBytes = 256
}
