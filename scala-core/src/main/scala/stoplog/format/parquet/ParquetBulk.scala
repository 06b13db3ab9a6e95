// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetOutputFormat
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import stoplog.compact.Compactor
import stoplog.format.SupportedTypes
import stoplog.format.bulk.{
  BlockFormat, BlockWriter, BulkFormatProvider, DryRun, FormatDescription, NullOutput, ValueLimits
}
import stoplog.part.BlockOutput

/** Parquet: a block is a row group. The directory is the tail of the file if the file ended there: a footer
  * with all row groups so far, its length, the magic.
  *
  * [[FlatWriteSupport]] converts rows to columns as Spark does, and parquet-hadoop does the rest. So files
  * are equal to files of `df.write.parquet` under the same settings. Only HDFS block padding is omitted,
  * because the position of a row group is unknown while its rows are counted.
  *
  * Encrypted parts have a single row group ([[blockBytes]] is `Long.MaxValue`). The encryption of a page
  * includes the file's writer and the row group's ordinal. No public class allows a second writer to
  * continue.
  */
private[stoplog] final class ParquetBulk private (settings: ParquetSettings)
    extends BlockFormat
    with ValueLimits {

  @transient private var conf: Configuration = _
  @transient private var session: SQLConf    = _

  override def suffix: String = s"${codec.getExtension}.parquet"

  override def open(schema: StructType): Unit = {
    FormatDescription.sameColumns(settings.schema, schema)
    conf = settings.configuration
    session = settings.sqlConf
  }

  /** The spooled rows of an encrypted part would be unencrypted. */
  override def mayKeepRows: Boolean = !settings.encrypts

  override def blockBytes: Long =
    if (settings.encrypts) Long.MaxValue else ParquetOutputFormat.getLongBlockSize(conf)

  /** Half of a full row group. Both sizes are measured as in the footer, as for compacted files. */
  override def largeBytes: Long =
    if (settings.encrypts) Long.MaxValue else ParquetBulk.largeBytes(conf)

  override def block(out: BlockOutput, directory: Array[Byte]): BlockWriter = {
    if (settings.encrypts && directory.nonEmpty)
      throw new IllegalStateException(
        "An encrypted Parquet part is one row group and cannot be continued."
      )
    val file = new RowGroupFile(out)
    // Spark's write support reads the session's settings on creation, in any thread.
    SQLConf.withExistingConf(session) {
      new RowGroupWriter(file, settings.schema, conf, settings.metadata, directory, blockBytes)
    }
  }

  override def end(out: BlockOutput, directory: Array[Byte]): Unit =
    out.write(if (directory.isEmpty) block(out, directory).finish() else directory)

  override def limits: Option[InternalRow => Unit] = OldDates.limits(settings.schema, session)

  override def anyLimits: Option[InternalRow => Unit] = OldDates.anyLimits(settings.schema)

  override def compactor: Option[Compactor] =
    Option.when(!settings.encrypts)(new ParquetCompactor(settings.hadoop))

  /** All settings for [[ParquetBulk.of]], as JSON, without possible secrets (a password, a token, a key). */
  override def describe: String = settings.describe

  private def codec: CompressionCodecName =
    CompressionCodecName.fromConf(settings.hadoop(ParquetOutputFormat.COMPRESSION))
}

private[stoplog] object ParquetBulk {

  /** Returns the format under the settings of a session, tested on the driver.
    *
    * @param schema  the columns of the rows, without Hive-style partition columns
    * @param options of Spark's Parquet writer, `compression`, `parquet.*`, any other Hadoop setting with a
    *                dot in its name, and `metadata.*`; others are ignored
    * @param session for `spark.sql.parquet.*` and the time zone
    * @param hadoop  the session's Hadoop configuration, for `parquet.*`
    * @throws stoplog.error.StoplogArgumentException if Spark cannot write a column to Parquet, or if
    *                                                parquet-hadoop rejects an option
    */
  def apply(
      schema: StructType,
      options: Map[String, String],
      session: SQLConf,
      hadoop: Configuration
  ): ParquetBulk = {
    val settings = ParquetSettings.of(schema, options, session, hadoop)
    SupportedTypes.check("parquet", schema)(new ParquetFileFormat().supportDataType)
    DryRun("Parquet", settings.problems) {
      val format = new ParquetBulk(settings.withoutIdleFactory)
      format.open(schema)
      format.end(new NullOutput, Array.empty)
      format
    }
  }

  /** The size from which a row group is kept unchanged: at the end of an epoch or a file, and in compaction.
    * In bytes before compression, as in a footer's `total_byte_size`.
    */
  private[parquet] def largeBytes(conf: Configuration): Long =
    (ParquetOutputFormat.getLongBlockSize(conf) / 2).max(1)

  /** Recreates a format from [[ParquetBulk.describe]]. Error: `IllegalArgumentException` for other strings.
    *
    * @param secrets Hadoop settings omitted from the description; only needed for encryption
    */
  def of(described: String, secrets: Map[String, String] = Map.empty): ParquetBulk =
    new ParquetBulk(ParquetSettings.of(described).withSecrets(secrets))
}

private[stoplog] final class ParquetBulkProvider extends BulkFormatProvider {
  override def kind: String = "parquet"

  /** Rejects encrypted parts: no encrypted part stays open, and the settings name the encryption classes. */
  override def of(described: String): BlockFormat = {
    val format = ParquetBulk.of(described)
    if (format.mayKeepRows) format
    else throw new IllegalArgumentException("an open part that is encrypted")
  }
}
