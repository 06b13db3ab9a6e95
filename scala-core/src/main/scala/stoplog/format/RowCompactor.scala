// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.{ByteArrayOutputStream, IOException, InputStream, OutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays
import java.util.regex.Pattern

import scala.util.Using

import com.fasterxml.jackson.core.{JsonFactoryBuilder, JsonProcessingException}
import com.fasterxml.jackson.core.json.JsonReadFeature

import stoplog.compact.{CompactionInput, Compactor}
import stoplog.format.compress.Compression
import stoplog.format.read.Decompression
import stoplog.part.BlockOutput

/** Puts files of rows one behind the other: compressed ones as they are, since members follow one another anyway, but for those
  * that hide what follows them.
  *
  * Where files begin with a header, that of the first one stays. The others are unpacked to find its end, and packed
  * again.
  */
private[format] sealed abstract class Appending(compression: Compression) extends Compactor {

  /** The last byte of a line. */
  protected def lineEnd: Byte

  /** The whole input, as it is where members of any writer may follow one another. */
  protected def append(input: CompactionInput, out: BlockOutput): Unit =
    if (compression.mayFollowAny) {
      val copied = Using.resource(input.open())(_.transferTo(out))
      if (copied != input.sizeBytes)
        throw new IOException(
          s"${input.path} had $copied bytes when it was read, instead of ${input.sizeBytes}"
        )
    } else appendRest(input, out)(_ => ()): Unit

  /** The input without its header, which `skip` reads. Answers how many ends of lines it has. */
  protected def appendRest(input: CompactionInput, out: BlockOutput)(skip: InputStream => Unit): Long =
    packed(out) { member =>
      reading(input) { in =>
        skip(in)
        copied(in, member)
      }
    }

  protected def packed[A](out: BlockOutput)(write: OutputStream => A): A =
    Using.resource(compression.openMember(out)) { member =>
      val result = write(member)
      member.finish()
      result
    }

  /** Fails where the input breaks off: the merge takes its place. */
  protected def reading[A](input: CompactionInput)(action: InputStream => A): A = {
    val decode = Decompression.ofSuffix(compression.suffix).filter(_ => input.sizeBytes > 0)
    Using.resource(input.open())(in => Using.resource(decode.fold(in: InputStream)(_(in)))(action))
  }

  private def copied(in: InputStream, out: OutputStream): Long = {
    val buffer = new Array[Byte](64 << 10)
    var ends   = 0L
    var count  = in.read(buffer)
    while (count >= 0) {
      out.write(buffer, 0, count)
      var at = 0
      while (at < count) {
        if (buffer(at) == lineEnd) ends += 1
        at += 1
      }
      count = in.read(buffer)
    }
    ends
  }
}

/** Merges files that stoplog wrote itself.
  *
  * @param header the beginning of each file, unpacked, up to the end of a line; empty for none
  */
private[stoplog] final class RowCompactor(compression: Compression, header: Array[Byte])
    extends Appending(compression) {

  override def compact(inputs: Seq[CompactionInput], out: BlockOutput): Unit = {
    inputs.take(1).foreach(append(_, out))
    inputs.drop(1).foreach { input =>
      if (header.isEmpty) append(input, out)
      else {
        val lines = appendRest(input, out)(skipHeader(input, _))
        if (!isMark) Compactor.requireLines(input, lines)
      }
    }
  }

  /** Whether the header is a byte order mark alone, from which the end of a line cannot be seen. */
  private val isMark = header.forall(RowCompactor.MarkBytes)

  override protected def lineEnd: Byte = header.lastOption.getOrElse('\n'.toByte)

  private def skipHeader(input: CompactionInput, in: InputStream): Unit =
    if (!Arrays.equals(in.readNBytes(header.length), header))
      throw new IOException(s"${input.path} begins with another header than the files before it")
}

private[stoplog] object RowCompactor {
  private val MarkBytes = Set(0xfe, 0xff, 0x00).map(_.toByte)

  /** @param encoder opened; its files are lines that may follow one another */
  def apply(encoder: Encoder, compression: Compression): RowCompactor = {
    val header = new ByteArrayOutputStream()
    encoder.begin(header)
    new RowCompactor(compression, header.toByteArray)
  }
}

/** Merges files of lines of any writer, compressed or not: a last line that does not end gets its end.
  *
  * @param lineSep the end of each line; where it is a line feed, there may be a carriage return before it
  */
private[stoplog] final class LineFiles(
    compression: Compression,
    beginning: LineFiles.Beginning,
    lineSep: String
) extends Appending(compression) {
  import LineFiles._

  private val end = lineSep.getBytes(UTF_8)

  override protected def lineEnd: Byte = end.last

  /** A header is left out by the length that it has in its own file: another writer may have ended it otherwise. */
  override def compact(inputs: Seq[CompactionInput], out: BlockOutput): Unit =
    inputs.zipWithIndex.foreach { case (input, index) =>
      val hasHeader = index > 0 && beginning == Beginning.Header

      def skipHeader(in: InputStream): Unit = if (hasHeader) firstLine(in): Unit

      if (hasHeader) appendRest(input, out)(skipHeader): Unit else append(input, out)
      val last = reading(input) { in =>
        skipHeader(in)
        lastBytes(in)
      }
      if (last.nonEmpty && !Arrays.equals(last, end)) packed(out)(_.write(end))
    }

  /** The header: files of other columns do not go together. Of UTF-16 and its like a merge would part the bytes of a
    * character, and a byte order mark is none in the midst of a file.
    */
  override def likeness(input: CompactionInput): String = {
    val first = reading(input)(_.readNBytes(ToBeSeen))
    if (Marks.exists(mark => Arrays.equals(first.take(mark.length), mark)) || isForeign(first))
      throw new IOException(s"${input.path} begins with a byte order mark, or is no text of UTF-8")
    beginning match {
      case Beginning.Row    => ""
      case Beginning.Json   => jsonOf(input, first)
      case Beginning.Header => headerOf(input)
    }
  }

  private def isForeign(bytes: Array[Byte]): Boolean = bytes.contains(0.toByte) && !end.contains(0.toByte)

  /** Of a document over several lines, readers of a merged file would see the first at most. A line of which the end is not
    * seen counts as a value.
    */
  private def jsonOf(input: CompactionInput, first: Array[Byte]): String = {
    val lines = new String(first, UTF_8).split(Pattern.quote(lineSep), -1)
    val ended = if (first.length < ToBeSeen) lines else lines.init
    if (ended.find(!_.isBlank).exists(!isValue(_)))
      throw new IOException(
        s"the first line of ${input.path} is not one JSON value, as lines of a merged file have to be"
      )
    ""
  }

  private def isValue(line: String): Boolean =
    try
      Using.resource(Lenient.createParser(line)) { json =>
        val begins = json.nextToken() != null
        json.skipChildren()
        begins && json.nextToken() == null
      }
    catch { case _: JsonProcessingException => false }

  private def headerOf(input: CompactionInput): String = {
    val header = new String(reading(input)(firstLine), UTF_8).stripSuffix(lineSep).trim
    if (header.contains('\r') || header.count(_ == '"') % 2 != 0)
      throw new IOException(s"the header of ${input.path} goes on behind its first line, or ends otherwise")
    header
  }

  private def firstLine(in: InputStream): Array[Byte] = {
    val line = new ByteArrayOutputStream()
    Iterator.continually(in.read()).takeWhile(_ >= 0).find { byte =>
      line.write(byte)
      byte.toByte == end.last && line.toByteArray.endsWith(end)
    }: Unit
    line.toByteArray
  }

  /** As many as the end of a line has. */
  private def lastBytes(in: InputStream): Array[Byte] = {
    val buffer = new Array[Byte](64 << 10)
    Iterator.continually(in.read(buffer)).takeWhile(_ >= 0).foldLeft(Array.emptyByteArray) { (last, count) =>
      (last ++ buffer.slice(count - end.length, count)).takeRight(end.length)
    }
  }
}

private[stoplog] object LineFiles {

  /** The end of a line, if nothing else is asked for. */
  val LineFeed: String = "\n"

  /** The kind of a file's first line. */
  sealed trait Beginning extends Product with Serializable
  object Beginning {
    case object Row    extends Beginning
    case object Header extends Beginning

    /** A row that is a JSON value. */
    case object Json extends Beginning
  }

  private val ToBeSeen = 4 << 10

  /** As lenient as any reader may be. */
  private lazy val Lenient = JsonReadFeature.values.foldLeft(new JsonFactoryBuilder)(_ enable _).build()

  /** Byte order marks of UTF-8 and UTF-16. That of UTF-32 begins with one of them, or has a NUL in it. */
  private val Marks = Seq(Array(0xef, 0xbb, 0xbf), Array(0xfe, 0xff), Array(0xff, 0xfe)).map(_.map(_.toByte))
}
