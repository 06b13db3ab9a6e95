// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetOutputFormat
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import stoplog.compact.Compactor
import stoplog.format.SupportedTypes
import stoplog.format.bulk.{
  BlockWriter, BulkFormat, BulkFormatProvider, DryRun, FormatDescription, NullOutput
}
import stoplog.part.BlockOutput

/** Parquet: a block is a row group, and the directory is the end of the file if it ended there: a footer of
  * all row groups so far, its length, the magic.
  *
  * [[FlatWriteSupport]] makes columns of the rows as Spark does, and parquet-hadoop does the rest, so that files are those of
  * `df.write.parquet` under the same settings. Only HDFS block padding is left out, since a row group is not where its
  * rows were when they were counted.
  *
  * Encrypted parts are one row group each ([[blockBytes]] is `Long.MaxValue`): the protection of a page names the writer
  * of the file and the row group's number in it, and no public class lets a second writer go on with them.
  */
private[stoplog] final class ParquetBulk private (settings: ParquetSettings) extends BulkFormat {

  @transient private var conf: Configuration = _
  @transient private var session: SQLConf    = _

  override def suffix: String = s"${codec.getExtension}.parquet"

  override def open(schema: StructType): Unit = {
    FormatDescription.sameColumns(settings.schema, schema)
    conf = settings.configuration
    session = settings.sqlConf
  }

  /** Rows that wait would lie beside an encrypted part in the clear. */
  override def mayKeepRows: Boolean = !settings.encrypts

  override def blockBytes: Long =
    if (settings.encrypts) Long.MaxValue else ParquetOutputFormat.getLongBlockSize(conf)

  /** Half of a full row group, and both in the footer's measure, as for files that are merged. */
  override def largeBytes: Long =
    if (settings.encrypts) Long.MaxValue else ParquetBulk.largeBytes(conf)

  override def block(out: BlockOutput, directory: Array[Byte]): BlockWriter = {
    if (settings.encrypts && directory.nonEmpty)
      throw new IllegalStateException(
        "An encrypted Parquet part is one row group and cannot be gone on with."
      )
    val file = new RowGroupFile(out)
    // Spark's write support reads the session's settings while it is made, wherever that is.
    SQLConf.withExistingConf(session) {
      RowGroupWriter(file, settings.schema, conf, settings.metadata, directory, blockBytes)
    }
  }

  override def end(out: BlockOutput, directory: Array[Byte]): Unit =
    out.write(if (directory.isEmpty) block(out, directory).finish() else directory)

  override def compactor: Option[Compactor] =
    Option.when(!settings.encrypts)(new ParquetCompactor(settings.hadoop))

  /** All that [[ParquetBulk.of]] needs, as JSON; without what looks like a secret (a password, a token, a key). */
  override def describe: String = settings.describe

  private def codec: CompressionCodecName =
    CompressionCodecName.fromConf(settings.hadoop(ParquetOutputFormat.COMPRESSION))
}

private[stoplog] object ParquetBulk {

  /** The format under the settings of a session, tried on the driver.
    *
    * @param schema  the columns of the rows (Hive-style partition columns left out)
    * @param options those of Spark's own Parquet writer, `compression` and `parquet.*` and any other of Hadoop's that has
    *                a dot in its name, and `metadata.*`; the rest is ignored
    * @param session for `spark.sql.parquet.*` and the time zone
    * @param hadoop  the session's, for `parquet.*`
    * @throws stoplog.error.StoplogArgumentException if Spark cannot write a column to Parquet, or parquet-hadoop refuses
    *                                                an option
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

  /** From this size on, a row group stays as it is: when an epoch or a file ends with it, and when files are merged. In bytes
    * before compression, as a footer's `total_byte_size` counts them.
    */
  private[parquet] def largeBytes(conf: Configuration): Long =
    (ParquetOutputFormat.getLongBlockSize(conf) / 2).max(1)

  /** The format that [[ParquetBulk.describe]] described. Error: `IllegalArgumentException` for any other text.
    *
    * @param secrets Hadoop settings that the description had to leave out; needed for encryption only
    */
  def of(described: String, secrets: Map[String, String] = Map.empty): ParquetBulk =
    new ParquetBulk(ParquetSettings.of(described).withSecrets(secrets))
}

private[stoplog] final class ParquetBulkProvider extends BulkFormatProvider {
  override def kind: String = "parquet"

  /** No part that is encrypted stays open, and settings name the classes that encrypt. */
  override def of(described: String): BulkFormat = {
    val format = ParquetBulk.of(described)
    if (format.mayKeepRows) format
    else throw new IllegalArgumentException("an open part that is encrypted")
  }
}
