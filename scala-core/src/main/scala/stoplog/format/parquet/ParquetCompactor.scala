// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.{ParquetFileReader, ParquetOutputFormat}
import org.apache.parquet.hadoop.metadata.{CompressionCodecName, ParquetMetadata}
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.InputFile
import org.apache.parquet.schema.MessageType

import stoplog.part.BlockOutput
import stoplog.compact.{CompactionInput, Compactor}

/** Parquet files as one: by copying row groups, with their indexes and Bloom filters, or by writing the rows again where
  * row groups are below half of the size that they are to have.
  *
  * Rows are written again as parquet-hadoop reads them, without anybody's idea of what the values mean; so types that
  * Spark has not, and dates of the old calendar, stay what they are. The entries of the footer stay, too: of several
  * values under one key, the last.
  *
  * Encrypted files are refused: what protects a page names its file and its place in it.
  *
  * @param settings of the writer, as in Hadoop's configuration
  */
final class ParquetCompactor private[parquet] (settings: Map[String, String]) extends Compactor {
  import ParquetCompactor._

  override def compact(inputs: Seq[CompactionInput], out: BlockOutput): Unit = {
    val files = inputs.map(input => opened(input))
    if (files.map(likenessOf).distinct.sizeIs > 1)
      throw new IllegalArgumentException(
        "The files have other columns, or other rules for dates, than each other."
      )
    val footer = Footer(
      files.last.footer.getFileMetaData.getSchema,
      files.flatMap(_.footer.getFileMetaData.getKeyValueMetaData.asScala).toMap
    )
    val conf = configuration(files)
    if (isTooSmall(files, ParquetOutputFormat.getLongBlockSize(conf)))
      ParquetEncoding.write(files.map(_.file), footer, conf, out)
    else ParquetCopy.write(files.map(_.file), footer, conf, out)
  }

  override def likeness(input: CompactionInput): String = likenessOf(opened(input))

  private def opened(input: CompactionInput): Opened = {
    val file = HadoopInputFile.fromPath(input.path, input.configuration)
    Using.resource(ParquetFileReader.open(file)) { reader =>
      if (
        reader.getFileMetaData.getFileDecryptor != null || reader.getFileMetaData.getEncryptionType.name != "UNENCRYPTED"
      )
        throw new IllegalArgumentException(s"${input.path} is encrypted, and such files are not merged.")
      Opened(file, reader.getFooter)
    }
  }

  /** Files of one writer go on with its codec, whatever the sink would take today. */
  private def configuration(files: Seq[Opened]): Configuration = {
    val conf = new Configuration(false)
    settings.foreach { case (key, value) => conf.set(key, value) }
    codecs(files).lastOption.foreach(codec => conf.set(ParquetOutputFormat.COMPRESSION, codec.name))
    conf
  }

  private def codecs(files: Seq[Opened]): Seq[CompressionCodecName] =
    files.flatMap(_.footer.getBlocks.asScala).flatMap(_.getColumns.asScala.headOption).map(_.getCodec)

  private def isTooSmall(files: Seq[Opened], blockBytes: Long): Boolean = {
    val groups = files.flatMap(_.footer.getBlocks.asScala).map(_.getTotalByteSize)
    groups.isEmpty || groups.sum / groups.size < blockBytes / 2
  }

  private def likenessOf(file: Opened): String = {
    val metadata = file.footer.getFileMetaData
    val entries  = metadata.getKeyValueMetaData.asScala
    // Readers decide by these how old dates are meant.
    val dates = DateRules.map(key => key -> entries.get(key))
    s"${metadata.getSchema} $dates ${entries.get(SparkVersion).map(_.takeWhile(_ != '.'))}"
  }
}

object ParquetCompactor {

  /** Of any Parquet files, under the settings of `hadoop`. */
  def apply(hadoop: Configuration): ParquetCompactor = new ParquetCompactor(
    hadoop.asScala.map(_.getKey).filter(_.startsWith("parquet.")).map(key => key -> hadoop.get(key)).toMap
  )

  private final case class Opened(file: InputFile, footer: ParquetMetadata)

  private val DateRules =
    Seq("org.apache.spark.legacyDateTime", "org.apache.spark.legacyINT96", "org.apache.spark.timeZone")

  private val SparkVersion = "org.apache.spark.version"
}

/** The content of a merged file's footer. */
private[parquet] final case class Footer(schema: MessageType, metadata: Map[String, String])
