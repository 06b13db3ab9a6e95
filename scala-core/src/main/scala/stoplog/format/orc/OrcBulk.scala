// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.execution.datasources.orc.{OrcFileFormat, OrcUtils}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import stoplog.compact.Compactor
import stoplog.format.SupportedTypes
import stoplog.format.bulk.{
  BlockFormat, BlockWriter, BulkFormatProvider, DryRun, FormatDescription, NullOutput, ValueLimits
}
import stoplog.part.BlockOutput

/** ORC: a block is a stripe, and the directory has the positions of the stripes and the statistics of their
  * columns.
  *
  * [[RowBatches]] converts rows to columns as Spark does, and orc-core does the rest. So files are equal to
  * files of `df.write.orc` under the same settings, with stripes ended at the same rows. orc-core also writes
  * the tail, as in a merge of files with one stripe each.
  */
private[stoplog] final class OrcBulk private (settings: OrcSettings) extends BlockFormat with ValueLimits {

  @transient private var writing: OrcWriting = _

  override def suffix: String =
    s"${OrcUtils.extensionsForCompressionCodecNames.getOrElse(settings.compression, "")}.orc"

  override def open(schema: StructType): Unit = {
    FormatDescription.sameColumns(settings.schema, schema)
    writing = new OrcWriting(settings)
  }

  override def blockBytes: Long = writing.stripeBytes

  /** Half of a full stripe. orc-core measures both sizes in memory. */
  override def largeBytes: Long = (blockBytes / 2).max(1)

  override def block(out: BlockOutput, directory: Array[Byte]): BlockWriter =
    new StripeWriter(out, StripeDirectory.of(directory), writing)

  override def end(out: BlockOutput, directory: Array[Byte]): Unit =
    OrcTail.write(out, StripeDirectory.of(directory), writing)

  /** The same for all settings. */
  override def limits: Option[InternalRow => Unit] = RowBatches.limitsOf(settings.schema)

  override def anyLimits: Option[InternalRow => Unit] = limits

  override def compactor: Option[Compactor] = Some(new OrcCompactor(settings.orc))

  /** All settings for [[OrcBulk.of]], as JSON. */
  override def describe: String = settings.describe
}

private[stoplog] object OrcBulk {

  /** Returns the format under the settings of a session, tested on the driver.
    *
    * @param schema  the columns of the rows, without Hive-style partition columns
    * @param options of Spark's ORC writer, `compression`, `orc.*` and the old names `hive.exec.orc.*`, and
    *                `metadata.*`; others are ignored. `orc.encrypt` is rejected, because each writer
    *                generates new keys, and rows waiting for their stripe would be spooled unencrypted.
    * @param session for `spark.sql.orc.*`, and for `orc.*` set in the session
    * @param hadoop  the session's Hadoop configuration, for `orc.*`
    * @throws stoplog.error.StoplogArgumentException if Spark cannot write a column to ORC, or if orc-core
    *                                                rejects an option
    */
  def apply(
      schema: StructType,
      options: Map[String, String],
      session: SQLConf,
      hadoop: Configuration
  ): OrcBulk = {
    val settings = OrcSettings.of(schema, options, session, hadoop)
    SupportedTypes.check("orc", schema)(OrcSettings.isSupported)
    OrcSettings.unreadableName(schema).foreach(SupportedTypes.refuseName("orc", _, Backtick))
    DryRun("ORC", settings.problems) {
      DataSourceUtils.checkFieldNames(new OrcFileFormat, schema)
      val format = new OrcBulk(settings)
      format.open(schema)
      format.block(new NullOutput, Array.empty).close()
      format.end(new NullOutput, Array.empty)
      format
    }
  }

  private final val Backtick = "Spark's readers return nulls for a name with a backtick: rename the column"

  /** Recreates a format from [[OrcBulk.describe]]. Error: `IllegalArgumentException` for other strings. */
  def of(described: String): OrcBulk = new OrcBulk(OrcSettings.of(described))
}

private[stoplog] final class OrcBulkProvider extends BulkFormatProvider {
  override def kind: String                       = "orc"
  override def of(described: String): BlockFormat = OrcBulk.of(described)
}
