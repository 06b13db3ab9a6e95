// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.io.{BufferedInputStream, EOFException, IOException, InputStream}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.orc.OrcFile
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.SparkSession
import org.apache.spark.util.SerializableConfiguration

import stoplog.format.bulk.FormatConfiguration
import stoplog.source.file.Blocks.{Block, BlockIndex}
import stoplog.storage.{SourceFile, SourceFiles}

/** The formats whose files are split between blocks, and the indexes of their blocks. */
private[read] object BlockIndexes {

  /** The positions at which files of Spark's readers can be split, if any. */
  sealed trait Splittable extends Serializable

  object Splittable {
    final case class At(blocks: BlockIndex) extends Splittable

    /** @param rows per file, if known without reading the file */
    final case class Never(rows: Option[Long]) extends Splittable

    def of(name: SourceFormatName.Blocks, options: Map[String, String]): Splittable = name match {
      case SourceFormatName.Parquet      => At(FooterBlocks(options, FooterBlocks.RowGroups))
      case SourceFormatName.Orc          => At(FooterBlocks(options, FooterBlocks.Stripes))
      case SourceFormatName.Avro         => At(AvroBlocks)
      case SourceFormatName.BinaryFile   => Never(rows = Some(1))
      case _: SourceFormatName.MultiLine => Never(rows = None)
    }
  }

  /** The blocks listed in a file's footer.
    *
    * @param configuration for tasks, too
    */
  final class FooterBlocks private (
      configuration: Broadcast[SerializableConfiguration],
      read: FooterBlocks.Read
  ) extends BlockIndex {

    override def of(files: SourceFiles, file: SourceFile): Vector[Block] =
      read(new HadoopPath(files.locate(file.path)), file.bytes, configuration.value.value)
  }

  object FooterBlocks {
    type Read = (HadoopPath, Long, Configuration) => Vector[Block]

    /** @param options of the format, which override the session's configuration */
    def apply(options: Map[String, String], read: Read): FooterBlocks = {
      val session       = SparkSession.active
      val configuration = new SerializableConfiguration(FormatConfiguration.of(session, options))
      new FooterBlocks(session.sparkContext.broadcast(configuration), read)
    }

    /** The row groups of a Parquet file. A row group belongs to the split that contains its midpoint. */
    val RowGroups: Read = (path, _, configuration) =>
      Using.resource(ParquetFileReader.open(HadoopInputFile.fromPath(path, configuration))) { reader =>
        reader.getRowGroups.asScala.toVector.map { group =>
          val begins = group.getStartingPos
          Block(begins, begins + group.getCompressedSize / 2, group.getRowCount)
        }
      }

    /** The stripes of an ORC file. A stripe belongs to the split that contains its start. */
    val Stripes: Read = (path, bytes, configuration) =>
      Using.resource(OrcFile.createReader(path, OrcFile.readerOptions(configuration).maxLength(bytes))) {
        _.getStripes.asScala.toVector.map { stripe =>
          Block(stripe.getOffset, stripe.getOffset, stripe.getNumberOfRows)
        }
      }
  }

  /** The blocks of Avro files, which have no footer. Walks from block to block and skips the rows. A block
    * belongs to the split that contains the start of the preceding marker.
    */
  object AvroBlocks extends BlockIndex {

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
      val (marker, headerEnd) = Using.resource(files.open(file, 0)) { in =>
        val walk = new Walked(new BufferedInputStream(in, BufferBytes))
        walk.skipHeader() -> walk.position
      }
      Using.resource(files.open(file, headerEnd - MarkerBytes)) { in =>
        val search = new Searched(new BufferedInputStream(in, SearchBytes), marker)
        Iterator
          .continually(search.next())
          .takeWhile(_ >= 0)
          .map(at => headerEnd - MarkerBytes + at)
          .map(at => Block(at, at, rows = 0))
          .toVector
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

    private final class Walked(in: InputStream) {
      private var at = 0L

      def position: Long = at

      /** Returns the marker between the blocks. */
      def skipHeader(): Array[Byte] = {
        if (!Magic.forall(_ == byte())) throw new IOException("it does not begin as Avro files do")
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

      private def byte(): Int = {
        val next = in.read()
        if (next < 0) throw new EOFException(s"the file ends at byte $at")
        at += 1
        next
      }
    }

    private val Magic             = "Obj\u0001".map(_.toInt)
    private final val MarkerBytes = 16L
    private final val BufferBytes = 4096
    private final val SearchBytes = 64 * 1024
  }
}
