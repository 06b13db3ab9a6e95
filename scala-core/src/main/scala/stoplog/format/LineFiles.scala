// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.{ByteArrayOutputStream, InputStream}
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Using

import stoplog.part.BlockOutput
import stoplog.compact.{CompactionInput, Compactor}

import stoplog.format.compress.{Compression, Decompression}

/** Files of lines that anybody may have written, compressed or not: a last line that does not end gets its end.
  *
  * Lines end with a line feed here, alone or after a carriage return.
  */
final class LineFiles(compression: Compression, beginning: LineFiles.Beginning) extends Compactor {
  import LineFiles._

  override def compact(inputs: Seq[CompactionInput], out: BlockOutput): Unit = beginning match {
    case Beginning.Row    => inputs.foreach(input => append(input, Array.emptyByteArray, out))
    case Beginning.Header =>
      val header = reading(inputs.head)(firstLine)
      append(inputs.head, Array.emptyByteArray, out)
      inputs.tail.foreach(append(_, header, out))
  }

  /** The header: files of other columns do not go together. */
  override def likeness(input: CompactionInput): String = beginning match {
    case Beginning.Row    => ""
    case Beginning.Header => new String(reading(input)(firstLine), UTF_8).trim
  }

  private def append(input: CompactionInput, header: Array[Byte], out: BlockOutput): Unit = {
    if (header.isEmpty) Using.resource(input.open())(_.transferTo(out)): Unit
    else
      packed(out)(member =>
        reading(input) { in => in.skipNBytes(header.length.toLong); in.transferTo(member); () }
      )
    if (reading(input)(lastByte).exists(_ != '\n')) packed(out)(_.write('\n'))
  }

  private def packed(out: BlockOutput)(write: java.io.OutputStream => Unit): Unit =
    Using.resource(compression.openMember(out)) { member =>
      write(member)
      member.finish()
    }

  private def reading[A](input: CompactionInput)(action: InputStream => A): A =
    Using.resource(Decompression.open(compression, input.open()))(action)
}

object LineFiles {

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
