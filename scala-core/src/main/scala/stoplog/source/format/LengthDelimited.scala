// SPDX-License-Identifier: Apache-2.0
package stoplog.source.format

import java.io.{BufferedInputStream, EOFException, IOException}

/** Records of bytes, each preceded by its length: the format of protobuf's `writeDelimitedTo` and of many
  * other writers.
  *
  * Only the lengths lead from one record to the next, so a file cannot be read from an arbitrary byte. To
  * find the positions where a file can be divided, only the lengths have to be read.
  *
  * @param maxBytes a longer record is an error: most likely, the bytes at this position are not a length
  */
class LengthDelimited(prefix: LengthPrefix, maxBytes: Int) extends StreamFormat[Array[Byte]] {

  override def isSplittable: Boolean = false

  override def reader(file: FileInput, from: Long, until: Long): PositionedReader[Array[Byte]] =
    new LengthDelimited.Reader(file, from, until, prefix, maxBytes)
}

private object LengthDelimited {
  final val BufferBytes = 64 * 1024

  final class Reader(file: FileInput, from: Long, until: Long, prefix: LengthPrefix, maxBytes: Int)
      extends PositionedReader[Array[Byte]] {
    private val in                 = new BufferedInputStream(file.open(from), BufferBytes)
    private var begins             = from
    private var at                 = from // the end of the bytes that were read
    private var ends               = from
    private var bytes: Array[Byte] = _
    private val next: () => Int    = () => {
      val byte = in.read()
      if (byte >= 0) at += 1
      byte
    }

    override def advance(): Boolean = {
      skipRecord()
      begins = at
      bytes = null
      if (begins >= until) false
      else {
        val length = prefix.read(next)
        length.foreach { length =>
          if (length < 0 || length > maxBytes) throw tooLong(length)
          ends = at + length
          if (file.bytes.exists(_ < ends))
            record // fails if the record is still incomplete, in a file that was listed half written
        }
        length.isDefined
      }
    }

    /** Reads the bytes only on demand: a record that is not requested is skipped. */
    override def record: Array[Byte] = {
      if (bytes == null) {
        val length = (ends - at).toInt
        bytes = in.readNBytes(length)
        at += bytes.length
        if (bytes.length < length) throw cut(length.toLong)
      }
      bytes
    }

    override def position: Long = ends

    override def close(): Unit = in.close()

    private def skipRecord(): Unit = if (at < ends) {
      in.skipNBytes(ends - at)
      at = ends
    }

    private def tooLong(length: Long) = new IOException(
      s"the record at byte $begins has $length bytes, and maxRecordSize is $maxBytes bytes: raise " +
        "maxRecordSize, or set lengthPrefix to the form of these files"
    )

    private def cut(length: Long) =
      new EOFException(s"the record at byte $begins has $length bytes, and the file ends in the middle")
  }
}

/** The format of the length of a record. */
sealed abstract class LengthPrefix extends Product with Serializable {

  /** Returns the next length; `None` at the end of the file.
    *
    * @param next a byte, or -1
    */
  private[format] def read(next: () => Int): Option[Long]
}

object LengthPrefix {

  /** Seven bits per byte, the lowest first, as in protobuf. */
  case object Varint extends LengthPrefix {
    private[format] override def read(next: () => Int): Option[Long] = {
      var byte  = next()
      val isEnd = byte < 0
      var bits  = byte & 0x7fL
      var shift = 7
      while (!isEnd && (byte & 0x80) != 0) {
        byte = whole(next())
        bits |= (byte & 0x7fL) << shift
        shift += 7
        if (shift > 63) throw new IOException("the bytes of a length are not a length")
      }
      Option.when(!isEnd)(bits)
    }
  }

  /** Four bytes, the highest first, as in Java's `DataOutput.writeInt`. */
  case object Int32BigEndian extends LengthPrefix {
    private[format] override def read(next: () => Int): Option[Long] = four(next).map {
      _.foldLeft(0)((bits, byte) => (bits << 8) | byte).toLong
    }
  }

  /** Four bytes, the lowest first. */
  case object Int32LittleEndian extends LengthPrefix {
    private[format] override def read(next: () => Int): Option[Long] = four(next).map {
      _.foldRight(0)((byte, bits) => (bits << 8) | byte).toLong
    }
  }

  private def four(next: () => Int): Option[Seq[Int]] = {
    val first = next()
    Option.when(first >= 0)(first +: Seq.fill(3)(whole(next())))
  }

  private def whole(byte: Int): Int =
    if (byte >= 0) byte else throw new EOFException("the file ends in the middle of a length")
}
