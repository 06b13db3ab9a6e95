// SPDX-License-Identifier: Apache-2.0
package stoplog.format.sequence

import scala.util.control.NonFatal

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType
import stoplog.part.BlockOutput
import stoplog.error.Errors
import stoplog.compact.Compactor
import stoplog.format.bulk.{SyncedFormat, SyncedWriter}

/** Hadoop's SequenceFile. Of two columns the first is the key; of one, which is the value, the keys are NullWritable.
  *
  * Columns are of type boolean, int, long, float, double, string (Text) or binary (BytesWritable).
  *
  * {{{
  * val format = SequenceFormat(df.schema, Map("compression" -> "bzip2", "compressionType" -> "block"), spark)
  * format.open(df.schema) // in each task, after travelling
  * }}}
  */
final class SequenceFormat private (settings: SequenceSettings) extends SyncedFormat {

  @transient private var layout: SequenceLayout = _

  override def suffix: String = ".seq"

  override def open(schema: StructType): Unit = layout = SequenceLayout(settings, schema)

  override def writer(out: BlockOutput, name: String): SyncedWriter = new SequenceWriter(layout, out, name)

  override def compactor: Option[Compactor] = Some(SequenceCompactor)

  override def describe: String = settings.toJson
}

object SequenceFormat {

  /** The format that rows of `schema` get, tried out on the driver.
    *
    * @param options
    *   `compression`: a codec by the names of Spark's text files, or a class; `compressionType`: `none`, `record` or
    *   `block`, the default being block where there is a codec; `metadata.<key>` for an entry of the header; Hadoop's
    *   `io.seqfile.*` and the settings of its codecs
    * @throws stoplog.error.StoplogArgumentException
    *   if a column has no Writable, there are more than two, or the codec does not run here
    */
  def apply(schema: StructType, options: Map[String, String], session: SparkSession): SequenceFormat = {
    val settings = SequencePlan(options, session)
    val format   = new SequenceFormat(settings)
    SequenceLayout.check(schema)
    try format.open(schema)
    catch {
      case e @ (NonFatal(_) | _: LinkageError) =>
        throw Errors.codecUnavailable("sequencefile", settings.codec, String.valueOf(e.getMessage), e)
    }
    format
  }

  /** The format that [[SequenceFormat.describe]] described. */
  def of(described: String): SequenceFormat = new SequenceFormat(SequenceSettings.ofJson(described))
}
