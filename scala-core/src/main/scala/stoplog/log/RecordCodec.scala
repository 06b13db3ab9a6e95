// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import java.io.{ByteArrayOutputStream, OutputStreamWriter}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.zip.CRC32C

import scala.jdk.CollectionConverters._
import scala.util.Using
import scala.util.control.NonFatal

import com.fasterxml.jackson.core.JsonGenerator
import com.fasterxml.jackson.databind.ObjectMapper

import stoplog.part.Open

/** Encodes records as a JSON object `{"version":1,"crc32c":"…","record":{…}}` with a checksum over the inner
  * object.
  *
  * The version belongs to the log's format, not to the library. A reader rejects a version above its own,
  * because newer records may contain unknown fields. The tests include golden files.
  */
private[stoplog] object RecordCodec {

  /** The version of all written records. */
  val Version: Int = 1

  /** The reason why bytes are not a usable record. */
  sealed trait Problem
  final case class Torn(why: String)      extends Problem
  final case class TooNew(version: Int)   extends Problem
  final case class Elsewhere(why: String) extends Problem

  /** The content of a record's file.
    *
    * @param checksum as in [[StoredRecord.checksum]]
    */
  final case class Encoded(bytes: Array[Byte], checksum: String)

  /** Encodes a record with its whole state. */
  def encode(record: LogRecord): Array[Byte] = encodeWhole(record).bytes

  def encodeWhole(record: LogRecord): Encoded = encoded(RecordJson.write(record, _))

  private[log] def encodeDelta(record: LogRecord, base: Base, delta: StateDelta): Encoded =
    encoded(RecordJson.writeDelta(record, base, delta, _))

  private def encoded(write: JsonGenerator => Unit): Encoded = {
    val body = new ByteArrayOutputStream()
    // Python computes the checksum over a string. A byte generator would escape surrogate pairs differently.
    val text = new OutputStreamWriter(body, UTF_8.newEncoder())
    Using.resource(mapper.getFactory.createGenerator(text))(write)
    val sum  = checksum(body.toByteArray, from = 0, until = body.size)
    val root = new ByteArrayOutputStream(body.size + EnvelopeBytes)
    root.write(s"""{"version":$Version,"crc32c":"$sum","record":""".getBytes(UTF_8))
    body.writeTo(root)
    root.write('}')
    Encoded(root.toByteArray, sum)
  }

  /** Decodes a record with its whole state. */
  def decode(bytes: Array[Byte], published: Published = Published.Files): Either[Problem, LogRecord] =
    read(bytes, published).flatMap {
      case StoredRecord.Whole(record, _, _) => Right(record)
      case delta: StoredRecord.Delta        => Left(Torn(s"its base is record ${delta.decision.seq - 1}"))
    }

  /** Reads a record as stored in its file. */
  def read(bytes: Array[Byte], published: Published = Published.Files): Either[Problem, StoredRecord] =
    parse(bytes).flatMap { envelope =>
      if (envelope.version > Version) Left(TooNew(envelope.version))
      else if (envelope.version < 1) Left(Torn("it has no version"))
      else
        envelope.body match {
          case None                                             => Left(Torn("it contains no record"))
          case Some(body) if body.checksum == envelope.checksum =>
            fields(stored(body, bytes.length, published))
          case Some(_) =>
            val written = asWritten(bytes)
            if (written.sameElements(bytes)) Left(Torn("its checksum does not match"))
            else read(written, published)
        }
    }

  /** Returns the writer's form of a file that an editor has formatted. */
  private def asWritten(bytes: Array[Byte]): Array[Byte] =
    mapper.writeValueAsString(mapper.readTree(bytes)).getBytes(UTF_8)

  private def stored(body: RecordParser.Body, sizeBytes: Int, published: Published): StoredRecord =
    if (body.fields.has("base")) readDelta(body, sizeBytes, published)
    else
      StoredRecord.Whole(RecordJson.read(body.fields, body.open, published), body.checksum, sizeBytes.toLong)

  private def readDelta(body: RecordParser.Body, sizeBytes: Int, published: Published): StoredRecord = {
    val decision = RecordJson.readDecision(body.fields, published, usual = None)
    val base     = DeltaJson.readBase(body.fields)
    if (base.whole < 0 || base.whole >= decision.seq)
      throw new IllegalArgumentException(s"record ${base.whole} is not an earlier record")
    StoredRecord.Delta(decision, base, DeltaJson.readState(body.fields), body.checksum, sizeBytes.toLong)
  }

  private val mapper = new ObjectMapper()

  private def parse(bytes: Array[Byte]): Either[Problem, RecordParser.Envelope] =
    if (bytes.isEmpty) Left(Torn("it is empty"))
    else
      try RecordParser.parse(bytes).toRight(Torn("it is not a JSON object"))
      catch { case NonFatal(_) => Left(Torn("it ends in the middle, or is not JSON")) }

  private def fields[A](read: => A): Either[Problem, A] =
    try Right(read)
    catch {
      case e: PathElsewhere => Left(Elsewhere(e.getMessage))
      case NonFatal(e)      => Left(Torn(s"a field is missing or of another type (${e.getMessage})"))
    }

  private[log] def checksum(bytes: Array[Byte], from: Int, until: Int): String = {
    val crc = new CRC32C()
    crc.update(bytes, from, until - from)
    "%08x".format(crc.getValue)
  }

  /** Encodes open parts outside of a record, with all fields. */
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
