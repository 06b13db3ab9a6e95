// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.streaming.{DataStreamWriter, Trigger}
import org.apache.spark.sql.{DataFrame, Row}

import stoplog.FileSink

/** Queries into the sink by one task, whose parts lie right under its path. */
object SinkRuns {

  val Text: Map[String, String] = Map("format" -> "text")

  /** @param finalizing the option `finalizeOnTermination` */
  def writer(
      rows: DataFrame,
      path: String,
      checkpoint: String,
      finalizing: String,
      options: Map[String, String] = Text
  ): DataStreamWriter[Row] = rows
    .coalesce(1)
    .writeStream
    .format("stoplog")
    .options(options)
    .option("bucketAssigner", "basePath")
    .option("path", path)
    .option("checkpointLocation", checkpoint)
    .option("finalizeOnTermination", finalizing)

  /** Takes what there is now. Returns when the query has ended, and what it ends with is done. */
  def run(writer: DataStreamWriter[Row]): Unit = {
    val query = writer.trigger(Trigger.AvailableNow()).start()
    query.awaitTermination()
    assert(FileSink.awaitEnd(query.runId.toString, 120000))
  }
}
