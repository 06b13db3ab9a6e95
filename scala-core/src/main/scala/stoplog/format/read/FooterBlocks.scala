// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.orc.OrcFile
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.SparkSession

import stoplog.format.bulk.SessionConfiguration
import stoplog.source.file.{Block, BlockIndex}
import stoplog.storage.{SourceFile, SourceFiles}

/** Blocks that a file's footer lists.
  *
  * @param options of the format, which go above the session's configuration
  */
private[read] sealed abstract class FooterBlocks(options: Map[String, String]) extends BlockIndex {
  @transient private lazy val configuration = SessionConfiguration(SparkSession.active, options)

  override def of(files: SourceFiles, file: SourceFile): Vector[Block] =
    read(new HadoopPath(files.locate(file.path)), file.bytes, configuration)

  protected def read(path: HadoopPath, bytes: Long, configuration: Configuration): Vector[Block]
}

/** The row groups of Parquet files: each belongs to the piece that has its middle. */
private[read] final class ParquetBlocks(options: Map[String, String]) extends FooterBlocks(options) {

  override protected def read(
      path: HadoopPath,
      bytes: Long,
      configuration: Configuration
  ): Vector[Block] =
    Using.resource(ParquetFileReader.open(HadoopInputFile.fromPath(path, configuration))) { reader =>
      reader.getRowGroups.asScala.toVector.map { group =>
        val begins = group.getStartingPos
        Block(begins, begins + group.getCompressedSize / 2, group.getRowCount)
      }
    }
}

/** The stripes of ORC files: each belongs to the piece in which it begins. */
private[read] final class OrcBlocks(options: Map[String, String]) extends FooterBlocks(options) {

  override protected def read(
      path: HadoopPath,
      bytes: Long,
      configuration: Configuration
  ): Vector[Block] =
    Using.resource(OrcFile.createReader(path, OrcFile.readerOptions(configuration).maxLength(bytes))) {
      _.getStripes.asScala.toVector.map { stripe =>
        Block(stripe.getOffset, stripe.getOffset, stripe.getNumberOfRows)
      }
    }
}
