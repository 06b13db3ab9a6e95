// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.{ByteArrayOutputStream, IOException, InputStream, OutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

import scala.util.Using

import stoplog.compact.{CompactionInput, Compactor}
import stoplog.format.compress.Compression
import stoplog.part.BlockOutput

/** Puts files of rows one behind the other: compressed ones as they are, since members follow one another anyway.
  *
  * Where files begin with a header, that of the first one stays. The others are unpacked to find its end, and packed
  * again.
  */
private[format] sealed abstract class Appending(compression: Compression) extends Compactor {

  /** The whole input, as it is. */
  protected def append(input: CompactionInput, out: BlockOutput): Unit =
    Using.resource(input.open())(_.transferTo(out)): Unit

  /** The input without its header, which `skip` reads. */
  protected def appendRest(input: CompactionInput, out: BlockOutput)(skip: InputStream => Unit): Unit =
    packed(out) { member =>
      reading(input) { in =>
        skip(in)
        in.transferTo(member): Unit
      }
    }

  protected def packed(out: BlockOutput)(write: OutputStream => Unit): Unit =
    Using.resource(compression.openMember(out)) { member =>
      write(member)
      member.finish()
    }

  protected def reading[A](input: CompactionInput)(action: InputStream => A): A =
    Using.resource(compression.decompressed(input.open()))(action)
}

/** Merges files that stoplog wrote itself.
  *
  * @param header the beginning of each file, unpacked; empty for none
  */
private[stoplog] final class RowCompactor(compression: Compression, header: Array[Byte])
    extends Appending(compression) {

  override def compact(inputs: Seq[CompactionInput], out: BlockOutput): Unit = {
    inputs.take(1).foreach(append(_, out))
    inputs.drop(1).foreach { input =>
      if (header.isEmpty) append(input, out) else appendRest(input, out)(skipHeader(input, _))
    }
  }

  private def skipHeader(input: CompactionInput, in: InputStream): Unit =
    if (!Arrays.equals(in.readNBytes(header.length), header))
      throw new IOException(s"${input.path} begins with another header than the files before it")
}

private[stoplog] object RowCompactor {

  /** @param encoder opened; its files are lines that may follow one another */
  def apply(encoder: Encoder, compression: Compression): RowCompactor = {
    val header = new ByteArrayOutputStream()
    encoder.begin(header)
    new RowCompactor(compression, header.toByteArray)
  }
}

/** Merges files of lines of any writer, compressed or not: a last line that does not end gets its end.
  *
  * Lines end with a line feed here, alone or after a carriage return.
  */
private[stoplog] final class LineFiles(compression: Compression, beginning: LineFiles.Beginning)
    extends Appending(compression) {
  import LineFiles._

  override def compact(inputs: Seq[CompactionInput], out: BlockOutput): Unit = {
    val header = beginning match {
      case Beginning.Row    => Array.emptyByteArray
      case Beginning.Header => reading(inputs.head)(firstLine)
    }
    inputs.zipWithIndex.foreach { case (input, index) =>
      if (index == 0 || header.isEmpty) append(input, out)
      else appendRest(input, out)(_.skipNBytes(header.length.toLong))
      if (reading(input)(lastByte).exists(_ != '\n')) packed(out)(_.write('\n'))
    }
  }

  /** The header: files of other columns do not go together. */
  override def likeness(input: CompactionInput): String = beginning match {
    case Beginning.Row    => ""
    case Beginning.Header => new String(reading(input)(firstLine), UTF_8).trim
  }
}

private[stoplog] object LineFiles {

  /** The kind of a file's first line. */
  sealed trait Beginning extends Product with Serializable
  object Beginning {
    case object Row    extends Beginning
    case object Header extends Beginning
  }

  private def firstLine(in: InputStream): Array[Byte] = {
    val line = new ByteArrayOutputStream()
    Iterator.continually(in.read()).takeWhile(_ >= 0).find { byte =>
      line.write(byte)
      byte == '\n'
    }: Unit
    line.toByteArray
  }

  private def lastByte(in: InputStream): Option[Int] = {
    val buffer = new Array[Byte](64 << 10)
    Iterator
      .continually(in.read(buffer))
      .takeWhile(_ >= 0)
      .filter(_ > 0)
      .foldLeft(Option.empty[Int])((_, count) => Some(buffer(count - 1).toInt))
  }
}
