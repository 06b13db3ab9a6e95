// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.{ByteArrayOutputStream, IOException, InputStream, OutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays
import java.util.regex.Pattern

import scala.util.Using

import com.fasterxml.jackson.core.{JsonFactoryBuilder, JsonProcessingException}
import com.fasterxml.jackson.core.json.JsonReadFeature
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.io.compress.CompressionCodecFactory

import stoplog.compact.{CompactionInput, Compactor}
import stoplog.format.compress.Compression
import stoplog.format.read.Decompression
import stoplog.part.BlockOutput

/** Concatenates files of rows. Compressed files are copied unchanged, because readers accept consecutive
  * members. Exceptions are compressions in which a file can hide the bytes after its end.
  *
  * If files start with a header, only the first header is kept. All other files are decompressed to find the
  * end of the header, and compressed again.
  */
private[format] sealed abstract class Appending(compression: Compression) extends Compactor {

  /** The last byte of a line. */
  protected def lineEnd: Byte

  /** Whether readers see the bytes after each input that is copied unchanged. */
  protected def mayBeFollowed: Boolean

  /** Appends the whole input, unchanged if readers see the bytes after the input. */
  protected def append(input: CompactionInput, out: BlockOutput): Unit =
    if (mayBeFollowed) {
      val copied = Using.resource(input.open())(_.transferTo(out))
      if (copied != input.sizeBytes)
        throw new IOException(
          s"${input.path} had $copied bytes when it was read, instead of ${input.sizeBytes}"
        )
    } else appendRest(input, out)(_ => ()): Unit

  /** Appends the input without its header, which `skip` reads. Returns the number of line ends. */
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

  /** Throws if the input is truncated, because the compacted file replaces the input. */
  protected def reading[A](input: CompactionInput)(action: InputStream => A): A = {
    val decode = Decompression.ofName(compression.suffix).filter(_ => input.sizeBytes > 0)
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

/** Compacts files written by stoplog.
  *
  * @param header the start of each file, uncompressed, up to the end of a line; empty for none
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

  /** Whether the header is only a byte order mark, which does not show the end of a line. */
  private val isMark = header.forall(RowCompactor.MarkBytes)

  override protected def mayBeFollowed: Boolean = compression.mayFollowOwn

  override protected def lineEnd: Byte = header.lastOption.getOrElse('\n'.toByte)

  private def skipHeader(input: CompactionInput, in: InputStream): Unit =
    if (!Arrays.equals(in.readNBytes(header.length), header))
      throw new IOException(s"${input.path} begins with another header than the files before it")
}

private[stoplog] object RowCompactor {
  private val MarkBytes = Set(0xfe, 0xff, 0x00).map(_.toByte)

  /** @param encoder an opened encoder, whose files consist of lines and can be concatenated */
  def apply(encoder: Encoder, compression: Compression): RowCompactor = {
    val header = new ByteArrayOutputStream()
    encoder.begin(header)
    new RowCompactor(compression, header.toByteArray)
  }
}

/** Compacts line files of any writer, compressed or not. Adds a missing line end at the end of a file.
  *
  * @param lineSep the end of each line; a line feed may be preceded by a carriage return
  */
private[stoplog] final class LineFiles(
    compression: Compression,
    beginning: LineFiles.Beginning,
    lineSep: String
) extends Appending(compression) {
  import LineFiles._

  private val end = lineSep.getBytes(UTF_8)

  override protected def mayBeFollowed: Boolean = compression.mayFollowAny

  override protected def lineEnd: Byte = end.last

  /** Skips each header by its length in its own file: writers may end headers differently. */
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

  /** Returns the header, because files with different columns cannot be compacted. Throws for UTF-16 and
    * similar encodings: a compaction would split the bytes of a character. Throws for a byte order mark,
    * which has no meaning inside a file.
    */
  override def likeness(input: CompactionInput): String = {
    val first = reading(input)(_.readNBytes(ToBeSeen))
    if (Marks.exists(mark => Arrays.equals(first.take(mark.length), mark)) || isForeign(first))
      throw new IOException(s"${input.path} begins with a byte order mark, or is not UTF-8 text")
    beginning match {
      case Beginning.Row    => ""
      case Beginning.Json   => jsonOf(input, first)
      case Beginning.Header => headerOf(input)
    }
  }

  private def isForeign(bytes: Array[Byte]): Boolean = bytes.contains(0.toByte) && !end.contains(0.toByte)

  /** Requires a JSON value in the first line. If documents span several lines, readers of a compacted file
    * would see only the first document. A line without a visible end counts as a value.
    */
  private def jsonOf(input: CompactionInput, first: Array[Byte]): String = {
    val lines = new String(first, UTF_8).split(Pattern.quote(lineSep), -1)
    val ended = if (first.length < ToBeSeen) lines else lines.init
    if (ended.find(!_.isBlank).exists(!isValue(_)))
      throw new IOException(
        s"the first line of ${input.path} is not one JSON value, as lines of a compacted file have to be"
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
    val header = new String(reading(input)(firstLine), UTF_8).stripSuffix(lineSep).stripSuffix("\r")
    if (header.contains('\r') || header.count(_ == '"') % 2 != 0)
      throw new IOException(s"the header of ${input.path} has several lines, or another line end")
    if (isBeforeHeader(header))
      throw new IOException(s"the first line of ${input.path} is blank or a comment, and not the header")
    header
  }

  /** Whether readers may skip a first line: a blank line, a comment, or the separator for spreadsheets. */
  private def isBeforeHeader(line: String): Boolean =
    line.isBlank || line.matches("#(\\s.*|[^,;|\t]*)") || line.matches("(?i)sep=.?")

  private def firstLine(in: InputStream): Array[Byte] = {
    val line = new ByteArrayOutputStream()
    Iterator.continually(in.read()).takeWhile(_ >= 0).find { byte =>
      line.write(byte)
      byte.toByte == end.last && line.toByteArray.endsWith(end)
    }: Unit
    line.toByteArray
  }

  /** Returns the last bytes of the stream: the length of a line end. */
  private def lastBytes(in: InputStream): Array[Byte] = {
    val buffer = new Array[Byte](64 << 10)
    Iterator.continually(in.read(buffer)).takeWhile(_ >= 0).foldLeft(Array.emptyByteArray) { (last, count) =>
      (last ++ buffer.slice(count - end.length, count)).takeRight(end.length)
    }
  }
}

private[stoplog] object LineFiles {

  /** The default line end. */
  val LineFeed: String = "\n"

  /** Whether readers decompress files with this suffix of their names, such as `.csv.deflate`. */
  def areCompressed(suffix: String, hadoop: Configuration): Boolean =
    new CompressionCodecFactory(hadoop).getCodec(new Path(s"a$suffix")) != null ||
      Decompression.ofName(suffix).isDefined

  /** The kind of a file's first line. */
  sealed trait Beginning extends Product with Serializable
  object Beginning {
    case object Row    extends Beginning
    case object Header extends Beginning

    /** A row, as a JSON value. */
    case object Json extends Beginning
  }

  private val ToBeSeen = 4 << 10

  /** As lenient as any reader may be. */
  private lazy val Lenient = JsonReadFeature.values.foldLeft(new JsonFactoryBuilder)(_ enable _).build()

  /** Byte order marks of UTF-8 and UTF-16. The mark of UTF-32 starts with one of these, or contains a NUL. */
  private val Marks = Seq(Array(0xef, 0xbb, 0xbf), Array(0xfe, 0xff), Array(0xff, 0xfe)).map(_.map(_.toByte))
}
