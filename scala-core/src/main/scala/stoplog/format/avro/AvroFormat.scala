// SPDX-License-Identifier: Apache-2.0
package stoplog.format.avro

import org.apache.avro.Schema
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType

import stoplog.compact.Compactor
import stoplog.format.bulk.{NullOutput, SyncedFormat, SyncedWriter}
import stoplog.part.BlockOutput

/** Avro object container files with the same records and header as from `df.write.format("avro")`. */
private[stoplog] final class AvroFormat private (settings: AvroSettings) extends SyncedFormat {

  @transient private var schema: Schema                   = _
  @transient private var serializer: SparkAvro.Serializer = _

  override def suffix: String = ".avro"

  override def promised: String = settings.promised

  override def open(columns: StructType): Unit = {
    schema = new Schema.Parser().parse(settings.schema)
    serializer = SparkAvro.serializer(columns, schema, settings)
  }

  override def writer(out: BlockOutput, name: String): SyncedWriter =
    new AvroWriter(settings, schema, serializer, out, name)

  override def compactor: Option[Compactor] = Some(new AvroCompactor(settings.syncIntervalBytes))
}

private[stoplog] object AvroFormat {

  /** Returns the format for rows of `schema` under Spark's options and settings, tested on the driver.
    *
    * @param options of Spark's Avro writer, and Hadoop's `avro.mapred.sync.interval`; `metadata.<key>` for an
    *                entry of the header; others are ignored
    * @param session provides `spark.sql.avro.*` where no option is set: codec, levels, rebasing of old dates
    * @throws stoplog.error.StoplogArgumentException if Avro does not support the type of a column
    * @throws java.lang.Exception by Spark, if Spark rejects an option, or if the user's Avro schema does not
    *                             fit the rows
    */
  def apply(schema: StructType, options: Map[String, String], session: SparkSession): AvroFormat = {
    val format = new AvroFormat(AvroSettings.of(schema, options, session))
    format.open(schema)
    format.writer(new NullOutput, "tried").close()
    format
  }
}
