// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import org.apache.spark.sql.connector.expressions.Transform

import stoplog.error.Errors
import stoplog.options.{Bucketing, SinkOptions}

/** `DataFrameWriter.partitionBy` of a batch write means the option of that name.
  *
  * `DataStreamWriter.partitionBy` never arrives here: Spark drops it for such sinks, without a word.
  */
private[stoplog] object BatchPartitioning {

  def merged(options: SinkOptions, partitioned: Array[Transform]): SinkOptions =
    if (partitioned.isEmpty) options
    else SinkOptions.parse(options.toMap ++ Bucketing.PartitionColumns(columns(partitioned)).toMap)

  /** Error: `STOPLOG_PARTITION_COLUMNS`. */
  def columns(partitioned: Array[Transform]): Seq[String] = partitioned.map(column).toSeq

  private def column(transform: Transform): String =
    (transform.name(), transform.references().map(_.fieldNames())) match {
      case ("identity", Array(Array(name))) => name
      case _ => throw Errors.partitionColumns(s"${transform.describe} is not a top-level column")
    }
}
