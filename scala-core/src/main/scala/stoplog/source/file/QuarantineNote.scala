// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.StringWriter
import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, CodingErrorAction}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Base64

import com.fasterxml.jackson.core.{JsonFactory, JsonGenerator}

import stoplog.storage.SourceFile

/** A note of data left out of a file, and why.
  *
  * @param fileName as a user knows it
  * @param position in words, with the unit
  */
private[file] final case class QuarantineNote(
    fileName: String,
    file: SourceFile,
    position: String,
    cause: String,
    leftOut: LeftOut
) {

  /** One line of JSON, without its end. */
  def json: String = {
    val text = new StringWriter()
    val out  = QuarantineNote.factory.createGenerator(text)
    out.writeStartObject()
    out.writeStringField("file", fileName)
    out.writeNumberField("fileBytes", file.bytes)
    out.writeNumberField("fileModifiedMillis", file.modifiedMillis)
    out.writeStringField("position", position)
    out.writeStringField("cause", cause)
    leftOut match {
      case LeftOut.Record(raw)          => QuarantineNote.record(raw, out)
      case LeftOut.Rest(piece, records) =>
        out.writeStringField("leftOut", "rest")
        out.writeStringField("piece", piece.toString)
        out.writeNumberField("recordsRead", records)
    }
    out.writeEndObject()
    out.close()
    text.toString
  }
}

/** How much was left out. */
private[file] sealed trait LeftOut
private[file] object LeftOut {

  /** One record; the file was read on behind it.
    *
    * @param raw its bytes, if they are known
    */
  final case class Record(raw: Option[Array[Byte]]) extends LeftOut

  /** All that comes behind so many records of the piece. */
  final case class Rest(piece: Extent, records: Long) extends LeftOut
}

private[file] object QuarantineNote {

  /** How much of a record is noted. */
  final val MostRawBytes = 64 * 1024

  private val factory = new JsonFactory()

  private def record(raw: Option[Array[Byte]], out: JsonGenerator): Unit = {
    out.writeStringField("leftOut", "record")
    raw.foreach { bytes =>
      val noted = bytes.take(MostRawBytes)
      text(noted) match {
        case Some(text) => out.writeStringField("text", text)
        case None       => out.writeStringField("base64", Base64.getEncoder.encodeToString(noted))
      }
      out.writeNumberField("recordBytes", bytes.length)
    }
  }

  private def text(bytes: Array[Byte]): Option[String] =
    try
      Some(
        UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(bytes))
          .toString
      )
    catch { case _: CharacterCodingException => None }
}
