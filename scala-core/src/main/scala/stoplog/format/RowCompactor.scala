// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.{ByteArrayOutputStream, IOException, InputStream}
import java.util.Arrays

import scala.util.Using

import stoplog.part.BlockOutput
import stoplog.compact.{CompactionInput, Compactor}

import stoplog.format.compress.{Compression, Decompression}

/** Files of rows, one behind the other: compressed ones as they are, since members follow one another anyway.
  *
  * Where files begin with a header, that of the first one stays. The others are unpacked to find its end, and packed
  * again.
  *
  * @param header what each file begins with, unpacked; empty for none
  */
final class RowCompactor private (compression: Compression, header: Array[Byte]) extends Compactor {

  override def compact(inputs: Seq[CompactionInput], out: BlockOutput): Unit = {
    inputs.take(1).foreach(whole(_, out))
    inputs.drop(1).foreach(input => if (header.isEmpty) whole(input, out) else withoutHeader(input, out))
  }

  private def whole(input: CompactionInput, out: BlockOutput): Unit =
    Using.resource(input.open()) { in =>
      in.transferTo(out)
      ()
    }

  private def withoutHeader(input: CompactionInput, out: BlockOutput): Unit =
    Using.resource(Decompression.open(compression, input.open())) { in =>
      skipHeader(input, in)
      val member = compression.openMember(out)
      try {
        in.transferTo(member)
        member.finish()
      } finally member.close()
    }

  private def skipHeader(input: CompactionInput, in: InputStream): Unit =
    if (!Arrays.equals(in.readNBytes(header.length), header))
      throw new IOException(s"${input.path} begins with another header than the files before it")
}

object RowCompactor {

  /** @param encoder opened; its files are lines that may follow one another */
  def apply(encoder: Encoder, compression: Compression): RowCompactor = {
    val header = new ByteArrayOutputStream()
    encoder.begin(header)
    new RowCompactor(compression, header.toByteArray)
  }

  /** Of files that begin with these bytes, unpacked. */
  def apply(compression: Compression, header: Array[Byte]): RowCompactor =
    new RowCompactor(compression, header)
}
