// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.io.{EOFException, InputStream}
import java.util.{Map => JMap}

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.Row
import org.apache.spark.sql.types.StructType

import stoplog.format.read.FileBytes.{Chunk, ChunkBytes, ColumnsOfChunks}
import stoplog.source.format.{BulkFormat, BulkReader, FileInput}

/** Reads the bytes of files in chunks, as rows, for a decoder outside of the JVM: `StreamFormat.from_reader`
  * of Python. As an option, `format` = `stoplog.format.read.FileBytes`.
  *
  * A file is one piece, or is cut at any byte if the parameter `tail` is set: the largest size
  * of a record that starts in a piece and ends after the piece. All chunks of a piece are rows of one
  * partition, in order, and the first chunk of a piece has the offset of the
  * piece. A chunk is small, because Spark
  * sends a fixed number of rows at once to Python. An empty file has no rows.
  */
final class FileBytes(parameters: JMap[String, String]) extends BulkFormat[Chunk] with SimpleRows[Chunk] {
  private val tail = JavaUtils.byteStringAsBytes(parameters.getOrDefault("tail", "0"))

  override def isSplittable: Boolean = tail > 0

  override def schema: StructType = ColumnsOfChunks

  override def row(chunk: Chunk): Row =
    Row(chunk.file, chunk.start, chunk.end, chunk.size, chunk.at, chunk.bytes)

  override def reader(file: FileInput, from: Long, until: Long): BulkReader[Chunk] = new BulkReader[Chunk] {
    private val size            = file.bytes.getOrElse(0L)
    private val end             = until.min(size)
    private var in              = Option.empty[InputStream]
    private var reached         = from
    override def position: Long = reached
    override def close(): Unit  = in.foreach(_.close())

    override def readBatch(): Option[Iterator[Chunk]] = Option.when(reached < end) {
      reached = end
      val opened = file.open(from)
      in = Some(opened)
      chunks(opened)
    }

    private def chunks(opened: InputStream): Iterator[Chunk] = {
      val last = (end + tail).min(size)
      Iterator
        .iterate(from)(_ + ChunkBytes)
        .takeWhile(_ < last)
        .map { at =>
          val length = (last - at).min(ChunkBytes.toLong).toInt
          val bytes  = opened.readNBytes(length)
          if (bytes.length < length)
            throw new EOFException(
              s"the file ends at byte ${at + bytes.length}, and had $size bytes when listed"
            )
          Chunk(file.location.toString, from, end, size, at, bytes)
        }
    }
  }
}

object FileBytes {

  /** Some bytes of a piece of a file.
    *
    * @param start the offset of the piece
    * @param end   the offset after the piece
    * @param size  of the file
    * @param at    the offset of these bytes
    */
  final case class Chunk(file: String, start: Long, end: Long, size: Long, at: Long, bytes: Array[Byte])

  /** With Spark's default of 10,000 rows at once, Python receives up to 80 MiB. */
  private final val ChunkBytes = 8 * 1024

  /** Names that no directory `name=value` of a user has. */
  private val ColumnsOfChunks = StructType.fromDDL(
    "_chunk_file STRING NOT NULL, _chunk_start BIGINT NOT NULL, _chunk_end BIGINT NOT NULL, " +
      "_chunk_size BIGINT NOT NULL, _chunk_at BIGINT NOT NULL, _chunk_bytes BINARY NOT NULL"
  )
}
