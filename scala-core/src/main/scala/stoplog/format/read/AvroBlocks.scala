// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.io.{BufferedInputStream, EOFException, IOException, InputStream}

import scala.util.Using

import stoplog.source.file.Blocks.{Block, BlockIndex}
import stoplog.storage.{SourceFile, SourceFiles}

/** The blocks of Avro files, which have no footer. Walks from block to block and skips the rows. A block
  * belongs to the split that contains the start of the preceding marker.
  */
private[read] object AvroBlocks extends BlockIndex {

  override def of(files: SourceFiles, file: SourceFile): Vector[Block] =
    Using.resource(files.open(file, 0)) { in =>
      val walk = new Walked(new BufferedInputStream(in, BufferBytes))
      walk.skipHeader(): Unit
      val blocks = Vector.newBuilder[Block]
      while (walk.position < file.bytes) {
        val marker = walk.position - MarkerBytes
        val rows   = walk.number()
        walk.skip(walk.number())
        walk.skip(MarkerBytes)
        blocks += Block(marker, marker, rows)
      }
      blocks.result()
    }

  /** Searches the markers, because the lengths in damaged blocks lead nowhere. */
  override def ofDamaged(files: SourceFiles, file: SourceFile): Vector[Block] = {
    val header = Header.of(files, file)
    header.markers(files, file, header.end - MarkerBytes)(_.map(at => Block(at, at, rows = 0)).toVector)
  }

  /** The header of a file.
    *
    * @param bytes  all bytes, which end with the marker
    * @param marker precedes each block
    */
  final case class Header(bytes: Array[Byte], marker: Array[Byte]) {
    def end: Long = bytes.length.toLong

    /** Passes the offsets of all markers at or after an offset. */
    def markers[A](files: SourceFiles, file: SourceFile, from: Long)(use: Iterator[Long] => A): A =
      Using.resource(files.open(file, from)) { in =>
        val search = new Searched(new BufferedInputStream(in, SearchBytes), marker)
        use(Iterator.continually(search.next()).takeWhile(_ >= 0).map(from + _))
      }
  }

  object Header {
    def of(files: SourceFiles, file: SourceFile): Header = {
      val (marker, end) = Using.resource(files.open(file, 0)) { in =>
        val walk = new Walked(new BufferedInputStream(in, BufferBytes))
        walk.skipHeader() -> walk.position
      }
      Header(Using.resource(files.open(file, 0))(_.readNBytes(end.toInt)), marker)
    }
  }

  /** Finds the starts of a sequence of bytes, which random data do not contain. */
  private final class Searched(in: InputStream, marker: Array[Byte]) {
    private val last = new Array[Byte](marker.length) // a ring of the last bytes
    private var read = 0L

    /** Returns the offset of the next occurrence, or -1. */
    def next(): Long = {
      var found = -1L
      var byte  = 0
      while (found < 0 && byte >= 0) {
        byte = in.read()
        if (byte >= 0) {
          last((read % marker.length).toInt) = byte.toByte
          read += 1
          if (byte.toByte == marker.last && read >= marker.length && isMarker) found = read - marker.length
        }
      }
      found
    }

    private def isMarker: Boolean =
      marker.indices.forall(index => last(((read + index) % marker.length).toInt) == marker(index))
  }

  /** Reads forward and counts the bytes. */
  final class Walked(in: InputStream) {
    private var at = 0L

    def position: Long = at

    /** Returns the marker between the blocks. */
    def skipHeader(): Array[Byte] = {
      if (!Magic.forall(_ == byte()))
        throw new IOException("it does not begin with the header of an Avro file")
      var entries = number()
      while (entries != 0) {
        // A negative count is followed by the size of the entries in bytes.
        if (entries < 0) skip(number())
        else for (_ <- 1L to entries * 2) skip(number())
        entries = number()
      }
      Array.fill(MarkerBytes.toInt)(byte().toByte)
    }

    /** Reads a zigzag varint: seven bits per byte, lowest bits first. */
    def number(): Long = {
      var bits  = 0L
      var shift = 0
      var more  = true
      while (more) {
        val next = byte()
        bits |= (next & 0x7fL) << shift
        shift += 7
        more = (next & 0x80) != 0
        if (more && shift > 63) throw new IOException(s"no number is at byte $at")
      }
      (bits >>> 1) ^ -(bits & 1)
    }

    def skip(bytes: Long): Unit = {
      in.skipNBytes(bytes)
      at += bytes
    }

    /** Returns the next bytes, or fewer bytes at the end of the file. */
    def take(bytes: Long): Array[Byte] = {
      val taken = in.readNBytes(bytes.min(Int.MaxValue.toLong).toInt)
      at += taken.length
      taken
    }

    private def byte(): Int = {
      val next = in.read()
      if (next < 0) throw new EOFException(s"the file ends at byte $at")
      at += 1
      next
    }
  }

  private val Magic             = "Obj\u0001".map(_.toInt)
  final val MarkerBytes         = 16L
  private final val BufferBytes = 4096
  private final val SearchBytes = 64 * 1024
}
