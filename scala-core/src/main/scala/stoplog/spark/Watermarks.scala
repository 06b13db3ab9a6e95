// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.time.Instant

import scala.util.Try

import org.apache.spark.sql.streaming.StreamingQueryProgress

import stoplog.error.Log
import stoplog.options.{BucketComplete, SinkOptions}

/** Hears from Spark how far a query has come.
  *
  * The progress of a batch tells the watermark with which that batch was run, and comes when its epoch is committed: so
  * whatever an aggregation gives out because of it, is in the log by then. The times of the rows themselves would not
  * do: they move the watermark of the next batch, which has yet to give out the windows that it closes.
  */
private[spark] final class Watermarks(options: SinkOptions, reached: Long => Unit) {
  private var warned = false

  def of(batch: StreamingQueryProgress): Unit = options.buckets.completeness.when match {
    case _: BucketComplete.Watermark =>
      Option(batch.eventTime.get("watermark")).flatMap(text =>
        Try(Instant.parse(text).toEpochMilli).toOption
      ) match {
        case Some(millis) if millis > 0 => reached(millis)
        case Some(_)                    => () // none yet
        case None                       => if (batch.numInputRows > 0) warn()
      }
    case _ => ()
  }

  private def warn(): Unit = if (!warned) {
    warned = true
    Log.warn(
      s"No bucket under ${options.output.path} will ever be complete: bucketComplete = 'watermark' goes by the query's watermark, " +
        "and the query has none. Call withWatermark(...) on the rows."
    )
  }
}
