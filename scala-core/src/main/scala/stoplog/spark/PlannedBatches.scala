// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Try
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.SparkSession

import stoplog.commit.BatchDigests
import stoplog.log.BatchDigest
import stoplog.options.SparkHadoop
import stoplog.place.CheckpointFiles
import stoplog.sink.BatchTimes

/** What micro-batches are. Spark writes the offsets of its sources to `offsets/<batch>` in the checkpoint before it begins
  * one, and goes by that file, which it does not write again, when it repeats it.
  *
  * Where the checkpoint was restored from an older copy, or has lost its newest files, Spark plans a batch of the same
  * number anew, up to the newest offsets: with another time in the file at least.
  */
private[spark] final case class PlannedBatch(digest: BatchDigest, times: BatchTimes)

/** Those of one query, asked on the thread of its batches. A file that cannot be found or read tells nothing. */
private[stoplog] final class PlannedBatches private (queryId: String, batch: Long, checkpoint: Option[String])
    extends BatchDigests {
  import PlannedBatches._

  // Looked up at once, before the checkpoint changes under a living query.
  private val now = planned(queryId, batch, checkpoint)

  override def of(asked: Long): Option[BatchDigest] =
    (if (asked == batch) now else planned(queryId, asked, checkpoint)).map(_.digest)

  /** The times of the batch that is about to begin. */
  def times: BatchTimes = now.fold(BatchTimes.unknown)(_.times)
}

private[stoplog] object PlannedBatches {

  /** @param batch      that is about to begin
    * @param checkpoint where it is, if the write was told; the running query knows it better
    */
  def of(queryId: String, batch: Long, checkpoint: Option[String]): PlannedBatches =
    new PlannedBatches(queryId, batch, checkpoint)

  private def planned(queryId: String, batch: Long, checkpoint: Option[String]): Option[PlannedBatch] =
    root(queryId).orElse(checkpoint).flatMap { location =>
      try new CheckpointFiles(location, SparkHadoop.configuration).offsets(batch).map(read)
      catch { case NonFatal(_) => None }
    }

  /** @param offsets lines, of which the one with the times is a JSON object */
  private[spark] def read(offsets: Array[Byte]): PlannedBatch = {
    val times = new String(offsets, UTF_8).linesIterator
      .filter(_.startsWith("{"))
      .flatMap(line => Try(mapper.readTree(line)).toOption)
      .find(_.has(Started))
      .fold(BatchTimes.unknown)(node => BatchTimes(millis(node, Started), millis(node, Watermark)))
    PlannedBatch(BatchDigest.of(offsets), times)
  }

  /** Spark writes 0 for what there is not. */
  private def millis(node: JsonNode, name: String): Option[Long] =
    Option(node.path(name).asLong(0)).filter(_ > 0)

  /** Spark keeps it from sinks, also where it has made the directory itself. */
  private def root(queryId: String): Option[String] = Try {
    QueryContext
      .running(SparkSession.active, queryId)
      .map(query => query.getClass.getMethod("resolvedCheckpointRoot").invoke(query).asInstanceOf[String])
  }.toOption.flatten

  private final val Started   = "batchTimestampMs"
  private final val Watermark = "batchWatermarkMs"

  private val mapper = new ObjectMapper()
}
