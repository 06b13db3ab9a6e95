// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.StringWriter
import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, CodingErrorAction}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Base64

import scala.collection.mutable
import scala.util.Using

import com.fasterxml.jackson.core.{JsonFactory, JsonGenerator}

import stoplog.source.StateFiles
import stoplog.storage.{Digits, OpenFailure, SourceFile, SourceFiles}

/** The place for notes about data that could not be decoded.
  *
  * The name of a notes file contains the hash of the data file, the piece, and a sequence number in the
  * piece. The notes file is created as a whole. If the same piece is read again, by a second attempt or after
  * a crash, the file already exists and nothing is added.
  */
private[file] final class Quarantine(place: StateFiles) extends Serializable {

  /** Returns the notes of one piece. */
  def notes(fileName: String, split: FileSplit): Quarantine.Notes =
    new Quarantine.Notes(Quarantine.prefix(fileName, split), write)

  /** Counts all notes, of all queries with this place. */
  def counts: Quarantine.Counts = {
    val names = place.list()
    Quarantine.Counts(
      files = names.collect { case Quarantine.RestNote(file) => file }.distinct.size.toLong,
      records = names.collect { case Quarantine.Records(count) => count.toLong }.sum
    )
  }

  /** Returns the names of all notes, grouped by the file that they describe. */
  def byFile: Map[String, Vector[String]] = place.list().groupBy(_.take(Quarantine.HashChars))

  /** Whether omitted bytes of a file are missing in the notes.
    *
    * @param notes of all files, after this file was read to its end
    */
  def lacksBytes(notes: Map[String, Vector[String]], fileName: String, file: SourceFile): Boolean =
    notes.getOrElse(Quarantine.hash(fileName, file), Vector.empty).exists(lacksBytes)

  private def lacksBytes(name: String): Boolean = name.endsWith(Quarantine.OfRest) || {
    val notes = Using.resource(place.open(name))(in => new String(in.readAllBytes(), UTF_8))
    notes.linesIterator.exists { note =>
      val at = note.lastIndexOf(Quarantine.RecordBytes)
      at < 0 || note
        .substring(at + Quarantine.RecordBytes.length, note.length - 1)
        .toLong > Quarantine.MostRawBytes
    }
  }

  private def write(name: String, notes: Seq[String]): Unit = {
    place.putIfAbsent(name)(_.write(notes.mkString("", "\n", "\n").getBytes(UTF_8)))
    ()
  }
}

private[file] object Quarantine {

  private val RestNote = """([0-9a-f]{24})-\d{20}-rest\.json""".r
  private val Records  = """[0-9a-f]{24}-\d{20}-\d{6}-(\d+)\.json""".r

  private final val OfRest = "-rest.json"

  /** Followed by the length of a record whose bytes are known, and the end of the note. In a JSON text, these
    * quotes would be escaped.
    */
  private final val RecordBytes = "\"recordBytes\":"

  private final val HashChars = 24

  /** The field of [[Note.isTailed]]. */
  final val Tailed = "tailed"

  /** The field of [[Omitted.Rest.framing]]. */
  final val Framing = "framing"

  private def prefix(fileName: String, split: FileSplit): String =
    s"${hash(fileName, split.file)}-${Digits.of(split.extent.from)}"

  /** Returns the hash of a file. A file that others have rewritten has another hash. */
  private def hash(fileName: String, file: SourceFile): String = {
    val hash = PathHash.of(s"$fileName\u0000${file.bytes}\u0000${file.modifiedMillis}")
    f"${hash.high}%016x${hash.low}%08x"
  }

  /** Whether the bytes of the piece can be read without decoding. If so, the content of the file caused the
    * decoding error, otherwise the storage caused the error.
    */
  def isStored(files: SourceFiles, split: FileSplit): Boolean = {
    val (from, until) = split.extent match {
      case Extent.Bytes(from, until) => (from, until)
      case _: Extent.Records         => (0L, split.file.bytes)
    }
    OpenFailure.returns(until - from)(files.open(split.file, from))
  }

  /** The notes of one piece of a file, in the order of the described data. Holds only a few notes at a time.
    *
    * @param write writes a file of notes, by its name
    */
  final class Notes(prefix: String, write: (String, Seq[String]) => Unit) {
    private val held  = mutable.ArrayBuffer.empty[String]
    private var chars = 0L
    private var files = 0

    def add(note: Note): Unit = note.leftOut match {
      case _: Omitted.Rest   => write(prefix + OfRest, Seq(note.json))
      case _: Omitted.Record =>
        val json = note.json
        held += json
        chars += json.length
        if (chars >= MostChars) flush()
    }

    /** Writes the last notes. Called after the piece was read: before, the notes may be incomplete. */
    def flush(): Unit = if (held.nonEmpty) {
      write(s"$prefix-${Digits.of(files.toLong, 6)}-${held.size}.json", held.toSeq)
      files += 1
      held.clear()
      chars = 0
    }
  }

  private final val MostChars = 1024 * 1024

  /** @param files   the number of files that could not be read completely
    * @param records the number of omitted records in files that could be read completely
    */
  final case class Counts(files: Long, records: Long)

  /** A note about data that was omitted from a file, with the cause.
    *
    * @param fileName the user-visible name
    * @param position as text, with the unit
    * @param isTailed whether the query reads appended data: a longer state still has the omitted data
    */
  final case class Note(
      fileName: String,
      file: SourceFile,
      position: String,
      cause: String,
      leftOut: Omitted,
      isTailed: Boolean
  ) {

    /** Returns one line of JSON, without a line end. */
    def json: String = {
      val text = new StringWriter()
      val out  = factory.createGenerator(text)
      out.writeStartObject()
      out.writeStringField("file", fileName)
      out.writeNumberField("fileBytes", file.bytes)
      out.writeNumberField("fileModifiedMillis", file.modifiedMillis)
      out.writeStringField("position", position)
      out.writeStringField("cause", cause)
      if (isTailed) out.writeBooleanField(Tailed, true)
      leftOut match {
        case Omitted.Record(raw)                   => record(raw, out)
        case Omitted.Rest(piece, records, framing) =>
          out.writeStringField("leftOut", "rest")
          out.writeStringField("piece", piece.toString)
          out.writeNumberField("recordsRead", records)
          framing.foreach(out.writeStringField(Framing, _))
      }
      out.writeEndObject()
      out.close()
      text.toString
    }
  }

  /** The omitted data. */
  sealed trait Omitted
  object Omitted {

    /** One record; reading continued after the record.
      *
      * @param raw its bytes, if known
      */
    final case class Record(raw: Option[Array[Byte]]) extends Omitted

    /** The remainder of the piece after this number of records; in block formats, each row is a record.
      *
      * @param framing see [[FileSplit]]
      */
    final case class Rest(piece: Extent, records: Long, framing: Option[String] = None) extends Omitted
  }

  /** The maximum number of bytes of a record in a note. */
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
