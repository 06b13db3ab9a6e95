// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.execution.datasources.orc.{OrcFileFormat, OrcUtils}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import stoplog.compact.Compactor
import stoplog.format.SupportedTypes
import stoplog.format.bulk.{
  BlockWriter, BulkFormat, BulkFormatProvider, DryRun, FormatDescription, NullOutput
}
import stoplog.part.BlockOutput

/** ORC: a block is a stripe, and the directory is where the stripes are and what their columns' statistics are.
  *
  * [[RowBatches]] makes columns of the rows as Spark does, and orc-core does the rest, so that files are those of
  * `df.write.orc` under the same settings, with stripes ended where that would end them. The end is orc-core's too, as
  * if it merged files of one stripe each.
  */
private[stoplog] final class OrcBulk private (settings: OrcSettings) extends BulkFormat {

  @transient private var writing: OrcWriting = _

  override def suffix: String =
    s"${OrcUtils.extensionsForCompressionCodecNames.getOrElse(settings.compression, "")}.orc"

  override def open(schema: StructType): Unit = {
    FormatDescription.sameColumns(settings.schema, schema)
    writing = new OrcWriting(settings)
  }

  override def blockBytes: Long = writing.stripeBytes

  /** Half of a full stripe. orc-core counts both as the memory that they take. */
  override def largeBytes: Long = (blockBytes / 2).max(1)

  override def block(out: BlockOutput, directory: Array[Byte]): BlockWriter =
    new StripeWriter(out, StripeDirectory.of(directory), writing)

  override def end(out: BlockOutput, directory: Array[Byte]): Unit =
    OrcTail.write(out, StripeDirectory.of(directory), writing)

  override def compactor: Option[Compactor] = Some(new OrcCompactor(settings.orc))

  /** All that [[OrcBulk.of]] needs, as JSON. */
  override def describe: String = settings.describe
}

private[stoplog] object OrcBulk {

  /** The format under the settings of a session, tried on the driver.
    *
    * @param schema  the columns of the rows (Hive-style partition columns left out)
    * @param options those of Spark's own ORC writer, `compression`, `orc.*` and its old names `hive.exec.orc.*`, and
    *                `metadata.*`; the rest is ignored. `orc.encrypt` is refused: each writer makes keys of its own, and
    *                rows that wait for their stripe would be spooled unencrypted.
    * @param session for `spark.sql.orc.*`, and `orc.*` where they were set there
    * @param hadoop  the session's, for `orc.*`
    * @throws stoplog.error.StoplogArgumentException if Spark cannot write a column to ORC, or orc-core refuses an option
    */
  def apply(
      schema: StructType,
      options: Map[String, String],
      session: SQLConf,
      hadoop: Configuration
  ): OrcBulk = {
    val settings = OrcSettings.of(schema, options, session, hadoop)
    SupportedTypes.check("orc", schema)(OrcSettings.isSupported)
    DryRun("ORC", settings.problems) {
      DataSourceUtils.checkFieldNames(new OrcFileFormat, schema)
      val format = new OrcBulk(settings)
      format.open(schema)
      format.block(new NullOutput, Array.empty).close()
      format.end(new NullOutput, Array.empty)
      format
    }
  }

  /** The format that [[OrcBulk.describe]] described. Error: `IllegalArgumentException` for any other text. */
  def of(described: String): OrcBulk = new OrcBulk(OrcSettings.of(described))
}

private[stoplog] final class OrcBulkProvider extends BulkFormatProvider {
  override def kind: String                      = "orc"
  override def of(described: String): BulkFormat = OrcBulk.of(described)
}
