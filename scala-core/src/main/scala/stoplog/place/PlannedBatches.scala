// SPDX-License-Identifier: Apache-2.0
package stoplog.place

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Try
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.hadoop.conf.Configuration

import stoplog.commit.BatchDigests
import stoplog.log.BatchDigest
import stoplog.sink.BatchTimes

/** The identity of a micro-batch. Spark writes the offsets of its sources to `offsets/<batch>` in the checkpoint before
  * it begins one, and goes by that file, which it does not write again, when it repeats it.
  *
  * If the checkpoint was restored from an older copy, or has lost its newest files, Spark plans a batch of the same
  * number anew, up to the newest offsets: with another time in the file at least.
  */
private[stoplog] final case class PlannedBatch(digest: BatchDigest, times: BatchTimes)

/** Those of one query, asked on the thread of its batches. A file that cannot be found or read tells nothing. */
private[stoplog] final class PlannedBatches private (
    batch: Long,
    checkpoint: Option[String],
    configuration: Configuration
) extends BatchDigests {

  // Looked up at once, before the checkpoint changes under a living query.
  private val now = planned(batch)

  override def of(asked: Long): Option[BatchDigest] =
    (if (asked == batch) now else planned(asked)).map(_.digest)

  /** The times of the batch that is about to begin. */
  def times: BatchTimes = now.fold(BatchTimes.unknown)(_.times)

  private def planned(asked: Long): Option[PlannedBatch] = checkpoint.flatMap { location =>
    try new CheckpointFiles(location, configuration).offsets(asked).map(PlannedBatches.read)
    catch { case NonFatal(_) => None }
  }
}

private[stoplog] object PlannedBatches {

  /** @param batch      that is about to begin
    * @param checkpoint of the query, if anything tells where it is
    */
  def of(batch: Long, checkpoint: Option[String], configuration: Configuration): PlannedBatches =
    new PlannedBatches(batch, checkpoint, configuration)

  /** @param offsets lines, of which the one with the times is a JSON object */
  private[place] def read(offsets: Array[Byte]): PlannedBatch = {
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

  private final val Started   = "batchTimestampMs"
  private final val Watermark = "batchWatermarkMs"

  private val mapper = new ObjectMapper()
}
