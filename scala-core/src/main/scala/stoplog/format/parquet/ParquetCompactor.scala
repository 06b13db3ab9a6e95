// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.CorruptDeltaByteArrays
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.example.data.{Group, GroupWriter}
import org.apache.parquet.hadoop.{ParquetFileReader, ParquetFileWriter, ParquetOutputFormat, ParquetReader}
import org.apache.parquet.hadoop.api.{ReadSupport, WriteSupport}
import org.apache.parquet.hadoop.example.GroupReadSupport
import org.apache.parquet.hadoop.metadata.{BlockMetaData, CompressionCodecName, FileMetaData, ParquetMetadata}
import org.apache.parquet.hadoop.util.{HadoopInputFile, HadoopStreams}
import org.apache.parquet.io.{InputFile, SeekableInputStream}
import org.apache.parquet.io.api.RecordConsumer
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.internal.LegacyBehaviorPolicy

import stoplog.compact.{CompactionInput, Compactor}
import stoplog.format.bulk.{FormatConfiguration, SizeLooks}
import stoplog.part.BlockOutput

/** Compacts Parquet files by copying row groups, with their indexes and Bloom filters, or by writing the rows
  * again. Rows are written again if row groups are below half of their target size.
  *
  * Rows are written as parquet-hadoop reads them, without interpreting values. So types unknown to Spark, and
  * dates of the old calendar, are preserved. Footer entries are preserved, too: files with other entries are
  * not alike ([[FooterEntries]]).
  *
  * Encrypted files are rejected, because the encryption of a page includes its file and its position in the
  * file. A compacted file is not encrypted, regardless of the session's settings for its own files.
  *
  * @param settings of the writer, as in Hadoop's configuration
  */
private[stoplog] final class ParquetCompactor private[parquet] (settings: Map[String, String])
    extends Compactor {
  import ParquetCompactor._

  override def compact(inputs: Seq[CompactionInput], out: BlockOutput): Unit = {
    val files = inputs.map(input => opened(input))
    Compactor.requireAlike(
      files.map(likenessOf),
      "different columns, rules for dates or entries in their footers"
    )
    val conf    = configuration(files)
    val groups  = files.flatMap(_.footer.getBlocks.asScala).map(_.getTotalByteSize)
    val written =
      if (Compactor.areSmall(groups, ParquetBulk.largeBytes(conf)) || !files.forall(mayCopy))
        encode(files, conf, out)
      else copy(files, conf, out)
    Compactor.requireRows(inputs, files.map(file => rowsOf(file.footer)).sum, written)
  }

  override def likeness(input: CompactionInput): String = likenessOf(opened(input))

  /** Whether row groups may be copied under the name of the current writer. Readers know by the name of an
    * old writer that they must read its pages in sequence.
    */
  private def mayCopy(file: Opened): Boolean = {
    val writer = file.footer.getFileMetaData.getCreatedBy
    file.footer.getBlocks.asScala.flatMap(_.getColumns.asScala).flatMap(_.getEncodings.asScala).forall {
      encoding =>
        !CorruptDeltaByteArrays.requiresSequentialReads(writer, encoding)
    }
  }

  /** Whether the file has times of INT96 of a writer whose name a compacted file would not have. */
  private def hasForeignTimes(file: FileMetaData): Boolean =
    !Option(file.getCreatedBy).exists(_.startsWith("parquet-mr")) &&
      file.getSchema.getColumns.asScala
        .exists(_.getPrimitiveType.getPrimitiveTypeName == PrimitiveTypeName.INT96)

  private def opened(input: CompactionInput): Opened = {
    val file =
      if (input.storedBytes.isEmpty) HadoopInputFile.fromPath(input.path, input.configuration)
      else new ParquetCompactor.Committed(input)
    Using.resource(ParquetFileReader.open(file)) { reader =>
      if (
        reader.getFileMetaData.getFileDecryptor != null || reader.getFileMetaData.getEncryptionType.name != "UNENCRYPTED"
      )
        throw new IllegalArgumentException(s"${input.path} is encrypted, and such files are not compacted.")
      Opened(file, reader.getFooter)
    }
  }

  /** Keeps the codec of the input files, regardless of the sink's current codec. */
  private def configuration(files: Seq[Opened]): Configuration = {
    val conf = FormatConfiguration.configuration(settings.filterNot { case (key, _) => isOfEncryption(key) })
    codecs(files).lastOption.foreach(codec => conf.set(ParquetOutputFormat.COMPRESSION, codec.name))
    conf
  }

  private def codecs(files: Seq[Opened]): Seq[CompressionCodecName] =
    files.flatMap(_.footer.getBlocks.asScala).flatMap(_.getColumns.asScala.headOption).map(_.getCodec)

  /** Copies the row groups of several files into one, byte by byte. Returns the number of rows. */
  private def copy(files: Seq[Opened], conf: Configuration, out: BlockOutput): Long = {
    val writer = new ParquetFileWriter(
      new PartFile.Whole(out),
      schemaOf(files),
      ParquetFileWriter.Mode.CREATE,
      ParquetOutputFormat.getLongBlockSize(conf),
      0,
      ParquetProperties.DEFAULT_COLUMN_INDEX_TRUNCATE_LENGTH,
      ParquetProperties.DEFAULT_STATISTICS_TRUNCATE_LENGTH,
      true
    )
    writer.start()
    files.foreach(opened => append(opened.file, writer))
    writer.end(entriesOf(files).asJava)
    rowsOf(writer.getFooter)
  }

  private def append(file: InputFile, writer: ParquetFileWriter): Unit =
    Using.resources(ParquetFileReader.open(file), file.newStream()) { (reader, in) =>
      reader.getRowGroups.asScala.foreach(append(_, reader, in, writer))
    }

  /** Copies column by column, because a copy of a whole row group would omit its indexes and filters. */
  private def append(
      group: BlockMetaData,
      reader: ParquetFileReader,
      in: SeekableInputStream,
      writer: ParquetFileWriter
  ): Unit = {
    val columns = reader.getFileMetaData.getSchema.getColumns.asScala.map(c => c.getPath.toSeq -> c).toMap
    val filters = reader.getBloomFilterDataReader(group)
    writer.startBlock(group.getRowCount)
    group.getColumns.asScala.foreach { chunk =>
      writer.appendColumnChunk(
        columns(chunk.getPath.toArray.toSeq),
        in,
        chunk,
        filters.readBloomFilter(chunk),
        reader.readColumnIndex(chunk),
        reader.readOffsetIndex(chunk)
      )
    }
    writer.endBlock()
  }

  /** Writes the rows of several files again, so that they fill row groups. Returns the number of rows. */
  private def encode(files: Seq[Opened], conf: Configuration, out: BlockOutput): Long = {
    val fullBytes = ParquetOutputFormat.getLongBlockSize(conf)
    var directory = Array.emptyByteArray
    def begun()   =
      new RowGroup(new RowGroupFile(out), new Groups(schemaOf(files)), conf, entriesOf(files), directory)
    var group = begun()
    var looks = new SizeLooks(fullBytes)
    var count = 0L
    try {
      files.foreach { opened =>
        Using.resource(new Rows(opened.file).build()) { rows =>
          val rowBytes = opened.meanRowBytes
          Iterator.continually(rows.read()).takeWhile(_ != null).foreach { row =>
            group.write(row)
            count += 1
            if (looks.isFullWith(rowBytes)(group.bufferedBytes)) {
              directory = group.finish()
              group = begun()
              looks = new SizeLooks(fullBytes)
            }
          }
        }
      }
      out.write(group.finish())
      count
    } finally group.close()
  }

  private def schemaOf(files: Seq[Opened]): MessageType = files.last.footer.getFileMetaData.getSchema

  private def entriesOf(files: Seq[Opened]): Map[String, String] =
    files.flatMap(_.footer.getFileMetaData.getKeyValueMetaData.asScala).toMap

  private def likenessOf(file: Opened): String = {
    val metadata = file.footer.getFileMetaData
    val entries  = metadata.getKeyValueMetaData
    if (hasForeignTimes(metadata))
      throw new IllegalArgumentException(
        s"${file.file} has times of INT96 of the writer ${metadata.getCreatedBy}, by whose name readers choose the time zone"
      )
    // Spark's readers rebase the old dates of a whole file by these policies. The merged entries of files
    // with equal policies result in the same policies.
    val dates = DataSourceUtils.datetimeRebaseSpec(entries.get(_), OfSession)
    val int96 = DataSourceUtils.int96RebaseSpec(entries.get(_), OfSession)
    s"${metadata.getSchema} $dates $int96 ${FooterEntries.describing(entries.asScala.toMap)}"
  }
}

private[stoplog] object ParquetCompactor {

  /** A file with fewer committed bytes than stored bytes. */
  private final class Committed(input: CompactionInput) extends InputFile {
    override def getLength: Long                = input.sizeBytes
    override def newStream: SeekableInputStream = HadoopStreams.wrap(input.open())
    override def toString: String               = input.path.toString
  }

  /** Returns a compactor for any Parquet files, under the settings of `hadoop`. */
  def apply(hadoop: Configuration): ParquetCompactor =
    new ParquetCompactor(FormatConfiguration.some(hadoop)(_.startsWith("parquet.")))

  private final case class Opened(file: InputFile, footer: ParquetMetadata) {

    /** Encoded, without compression. */
    def meanRowBytes: Long = {
      val groups = footer.getBlocks.asScala
      groups.map(_.getTotalByteSize).sum / rowsOf(footer).max(1)
    }
  }

  private final class Rows(file: InputFile) extends ParquetReader.Builder[Group](file) {
    override protected def getReadSupport: ReadSupport[Group] = new GroupReadSupport
  }

  private final class Groups(schema: MessageType) extends WriteSupport[Group] {
    private var writer: GroupWriter = _

    override def init(conf: Configuration): WriteSupport.WriteContext =
      new WriteSupport.WriteContext(schema, java.util.Map.of())

    override def prepareForWrite(consumer: RecordConsumer): Unit = writer = new GroupWriter(consumer, schema)
    override def write(row: Group): Unit                         = writer.write(row)
  }

  // For a file without Spark's version: the reader's session determines the policy.
  private val OfSession = LegacyBehaviorPolicy.EXCEPTION.toString

  private def rowsOf(footer: ParquetMetadata): Long = footer.getBlocks.asScala.map(_.getRowCount).sum

  private def isOfEncryption(key: String): Boolean =
    key.startsWith("parquet.crypto.") || key.startsWith("parquet.encryption.")
}
