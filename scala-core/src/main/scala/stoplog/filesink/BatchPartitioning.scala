// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import org.apache.spark.sql.connector.expressions.Transform

import stoplog.bucket.Bucketing
import stoplog.error.Errors
import stoplog.options.{BucketOptions, SinkOptions}

/** `DataFrameWriter.partitionBy` of a batch write means the option of that name.
  *
  * `DataStreamWriter.partitionBy` never arrives here: Spark drops it for such sinks, without a word.
  */
private[stoplog] object BatchPartitioning {

  def merged(options: SinkOptions, partitioned: Array[Transform]): SinkOptions =
    if (partitioned.isEmpty) options
    else
      SinkOptions.parse(
        options.toMap ++ BucketOptions.toMap(Bucketing.PartitionColumns(columns(partitioned)))
      )

  /** Error: `STOPLOG_PARTITION_COLUMNS`. */
  def columns(partitioned: Array[Transform]): Seq[String] = partitioned.map(column).toSeq

  private def column(transform: Transform): String =
    (transform.name(), transform.references().map(_.fieldNames())) match {
      case ("identity", Array(Array(name))) => name
      case _ => throw Errors.partitionColumns(s"${transform.describe} is not a top-level column")
    }
}
