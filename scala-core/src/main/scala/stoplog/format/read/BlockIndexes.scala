// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.io.IOException
import java.nio.file.{Files, Path => NioPath}

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
import stoplog.source.file.FileSplit
import stoplog.storage.{SourceFile, SourceFiles}

/** The formats whose files are split between blocks, and the indexes of their blocks. */
private[read] object BlockIndexes {

  /** The positions at which files of Spark's readers can be split, if any. */
  sealed trait Splittable extends Serializable {
    def mending: Mending
  }

  /** Copies the readable rows of a unit of a damaged file, if the reader of the format finds fewer rows. */
  trait Mending extends Serializable {

    /** Returns `None` if the unit is read from its file. Runs in a task. */
    def of(files: SourceFiles, unit: FileSplit): Option[MendedUnit]
  }

  object Mending {
    case object None extends Mending {
      override def of(files: SourceFiles, unit: FileSplit): Option[MendedUnit] = scala.None
    }
  }

  /** A file of the same format with the readable rows of a unit.
    *
    * @param failure thrown after the rows, if rows of the unit are missing
    */
  final case class MendedUnit(copy: NioPath, failure: Option[IOException]) extends AutoCloseable {
    override def close(): Unit = {
      Files.deleteIfExists(copy)
      ()
    }
  }

  object Splittable {
    final case class At(blocks: BlockIndex, mending: Mending) extends Splittable

    /** @param rows per file, if known without reading the file */
    final case class Never(rows: Option[Long]) extends Splittable {
      override def mending: Mending = Mending.None
    }

    def of(name: SourceFormatName.Blocks, options: Map[String, String]): Splittable = name match {
      case SourceFormatName.Parquet      => At(FooterBlocks(options, FooterBlocks.RowGroups), Mending.None)
      case SourceFormatName.Orc          => At(FooterBlocks(options, FooterBlocks.Stripes), Mending.None)
      case SourceFormatName.Avro         => At(AvroBlocks, AvroUnits)
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
}
