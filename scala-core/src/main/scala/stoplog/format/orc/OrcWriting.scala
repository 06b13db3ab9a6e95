// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.orc.{MemoryManager, OrcConf, OrcFile, PhysicalWriter, TypeDescription, Writer}
import org.apache.orc.OrcFile.WriterOptions
import org.apache.orc.OrcProto.ColumnEncoding
import org.apache.orc.mapred.OrcOutputFormat
import org.apache.spark.sql.execution.datasources.orc.OrcUtils

/** orc-core's writers under one set of settings. */
private[orc] final class OrcWriting(val settings: OrcSettings) {

  private val conf: Configuration = settings.configuration

  private val schema: TypeDescription = OrcUtils.orcTypeDescription(settings.schema)

  /** As Spark's own writer has them. */
  def options: WriterOptions = OrcOutputFormat.buildOptions(conf).setSchema(schema)

  /** The size of a full stripe, in bytes of memory. */
  val stripeBytes: Long = options.getStripeSize

  def limit: StripeLimit =
    new StripeLimit(
      stripeBytes,
      OrcConf.STRIPE_ROW_COUNT.getLong(conf),
      OrcConf.ROWS_BETWEEN_CHECKS.getLong(conf),
      conf.getDouble(CheckRatio, CheckRatioDefault)
    )

  /** A writer that never ends a stripe before it is closed.
    *
    * @param file
    *   where to; knows the real size of stripes, which decides on buffers and padding
    * @param before
    *   how the columns of the stripe before it were encoded; empty for the first
    */
  def writer(file: PhysicalWriter, memory: MemoryManager, before: Seq[ColumnEncoding]): Writer =
    OrcFile.createWriter(NoPath, goingOn(endless, before).physicalWriter(file).memory(memory))

  private def goingOn(options: WriterOptions, before: Seq[ColumnEncoding]): WriterOptions = {
    val names = Option(options.getDirectEncodingColumns).filter(_.nonEmpty) ++ DirectColumns(schema, before)
    options.directEncodingColumns(names.mkString(","))
  }

  private def endless: WriterOptions = {
    val unlimited = new Configuration(conf)
    OrcConf.STRIPE_ROW_COUNT.setInt(unlimited, Int.MaxValue)
    OrcOutputFormat.buildOptions(unlimited).setSchema(schema).stripeSize(Long.MaxValue).enforceBufferSize()
  }

  // orc-core asks for a path even where it is given the file.
  private val NoPath = new Path("file:///part.orc")

  // OrcConf names it since ORC 2.2.
  private def CheckRatio = "orc.stripe.size.check.ratio"

  private def CheckRatioDefault = 2.0
}
