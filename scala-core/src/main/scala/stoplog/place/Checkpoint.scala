// SPDX-License-Identifier: Apache-2.0
package stoplog.place

import java.io.FileNotFoundException
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.{Try, Using}
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import stoplog.commit.{BatchDigests, Planned}
import stoplog.error.Errors
import stoplog.log.BatchDigest
import stoplog.sink.BatchTimes
import stoplog.storage.OpenFailure

/** The files of a query's checkpoint that Spark writes and stoplog reads. Trouble with one is thrown as it comes. */
private[stoplog] final class CheckpointFiles(location: String, configuration: Configuration) {
  private val root  = new Path(location)
  private val files = root.getFileSystem(configuration)

  /** The id of the query; `None` where the file has none. Error: `FileNotFoundException`. */
  def queryId: Option[String] =
    Option(new ObjectMapper().readTree(bytes(new Path(root, "metadata"))).get("id")).map(_.asText())

  /** The identity of a batch: a digest of `offsets/<batch>`, in which Spark has written down its plan. `None` when the
    * batch is not planned.
    */
  def planned(batch: Long): Option[BatchDigest] = offsets(batch).map(BatchDigest.of)

  /** `offsets/<batch>` as Spark has written it; `None` when the batch is not planned. */
  def offsets(batch: Long): Option[Array[Byte]] = {
    val file = new Path(new Path(root, "offsets"), batch.toString)
    try Some(bytes(file))
    catch { case _: FileNotFoundException if !OpenFailure.isThere(files, file) => None }
  }

  /** The last batch in `commits`. */
  def lastCommitted: Option[Long] = {
    val directory = new Path(root, "commits")
    if (!OpenFailure.isThere(files, directory)) None
    else files.listStatus(directory).toVector.flatMap(_.getPath.getName.toLongOption).maxOption
  }

  /** The batch that the query begins with: the one that is planned and not committed, or the one after the last. */
  def nextBatch: Long = lastCommitted.fold(0L)(_ + 1)

  private def bytes(file: Path): Array[Byte] = Using.resource(files.open(file))(_.readAllBytes())
}

private[stoplog] object CheckpointFiles {

  /** The query behind a checkpoint, before Spark says which it is: it does so only once there is data.
    *
    * @param checkpoint where it is, if that is known
    * @return the query's id; `None` when the checkpoint is new, or was not given as an option of the write.
    */
  def queryId(checkpoint: Option[String], configuration: Configuration): Option[String] =
    checkpoint.flatMap { location =>
      try new CheckpointFiles(location, configuration).queryId
      catch { case NonFatal(_) => None } // Spark itself reads it next, and has the better message
    }

  /** The batch that a start from this checkpoint begins with: 0 if it is new, or cannot be read. */
  def next(checkpoint: String, configuration: Configuration): Planned =
    try {
      val files = new CheckpointFiles(checkpoint, configuration)
      new Planned(files.nextBatch, files.planned(_))
    } catch { case NonFatal(_) => new Planned(0, BatchDigests.unknown) }
}

/** The batches of one query, asked on the thread of its batches. A file that is not there tells nothing. One that is there
  * and cannot be read is an error: taken for nothing, it would let a batch that was planned anew be passed over.
  *
  * Error: `STOPLOG_CHECKPOINT_UNREADABLE`.
  *
  * @param batch      that is about to begin
  * @param checkpoint of the query, if anything tells where it is
  */
private[stoplog] final class PlannedBatches(
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

  private def planned(asked: Long): Option[PlannedBatches.PlannedBatch] = checkpoint.flatMap { location =>
    try new CheckpointFiles(location, configuration).offsets(asked).map(PlannedBatches.read)
    catch { case NonFatal(e) => throw Errors.checkpointUnreadable(location, e) }
  }
}

private[stoplog] object PlannedBatches {

  /** The identity of a micro-batch. Spark writes the offsets of its sources to `offsets/<batch>` in the checkpoint before
    * it begins one, and goes by that file, which it does not write again, when it repeats it.
    *
    * If the checkpoint was restored from an older copy, or has lost its newest files, Spark plans a batch of the same
    * number anew, up to the newest offsets: with another time in the file at least.
    */
  private[place] final case class PlannedBatch(digest: BatchDigest, times: BatchTimes)

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
