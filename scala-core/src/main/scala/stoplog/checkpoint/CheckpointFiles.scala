// SPDX-License-Identifier: Apache-2.0
package stoplog.checkpoint

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

/** The files of a query's checkpoint written by Spark and read by stoplog. Passes on any exception. */
private[stoplog] final class CheckpointFiles(location: String, configuration: Configuration) {
  private val root  = new Path(location)
  private val files = root.getFileSystem(configuration)

  /** Returns the id of the query; `None` if the file has no id. Error: `FileNotFoundException`. */
  def queryId: Option[String] =
    Option(new ObjectMapper().readTree(bytes(new Path(root, "metadata"))).get("id")).map(_.asText())

  /** Returns the identity of a batch: a digest of `offsets/<batch>`, in which Spark has recorded the plan.
    * `None` if the batch is not planned.
    */
  def planned(batch: Long): Option[BatchDigest] = offsets(batch).map(BatchDigest.of)

  /** Returns the content of `offsets/<batch>`; `None` if the batch is not planned. */
  def offsets(batch: Long): Option[Array[Byte]] = {
    val file = new Path(new Path(root, "offsets"), batch.toString)
    try Some(bytes(file))
    catch { case _: FileNotFoundException if !OpenFailure.isThere(files, file) => None }
  }

  /** Returns the last batch in `commits`. */
  def lastCommitted: Option[Long] = {
    val directory = new Path(root, "commits")
    if (!OpenFailure.isThere(files, directory)) None
    else files.listStatus(directory).toVector.flatMap(_.getPath.getName.toLongOption).maxOption
  }

  /** Returns the position of a source at the end of the last batch in `commits`, in the source's own format.
    * `None` if no batch is committed, or if another version of Spark wrote the positions.
    *
    * @param source the index of the source in its query
    */
  def committedOffset(source: Int): Option[String] = lastCommitted.flatMap(offsets).flatMap { bytes =>
    val lines = new String(bytes, UTF_8).linesIterator.toVector
    lines.lift(source + CheckpointFiles.LinesBefore).filter { position =>
      lines.headOption.contains(CheckpointFiles.KnownVersion) && position != CheckpointFiles.NoPosition
    }
  }

  /** Returns the first batch after a start: the planned and uncommitted batch, or the batch after the last
    * committed batch.
    */
  def nextBatch: Long = lastCommitted.fold(0L)(_ + 1)

  private def bytes(file: Path): Array[Byte] = Using.resource(files.open(file))(_.readAllBytes())
}

private[stoplog] object CheckpointFiles {

  // `offsets/<batch>`: the version, a line about the batch, and a line for each source.
  private final val KnownVersion = "v1"
  private final val LinesBefore  = 2
  private final val NoPosition   = "-"

  /** Returns the committed position of the source with this directory, `<checkpoint>/sources/<n>`. Spark
    * names a source of a plan by its index; a source with another name has no known position.
    */
  def committedOffset(directory: String, configuration: Configuration): Option[String] = {
    val path = new Path(directory)
    for {
      index <- path.getName.toIntOption
      root  <- Option(path.getParent).flatMap(sources => Option(sources.getParent))
      found <- new CheckpointFiles(root.toString, configuration).committedOffset(index)
    } yield found
  }

  /** Returns the id of the query of a checkpoint. Spark reports the id later, once the query has data.
    *
    * @param checkpoint the location, if known
    * @return the query's id; `None` if the checkpoint is new, or was not given as an option of the write.
    */
  def queryId(checkpoint: Option[String], configuration: Configuration): Option[String] =
    checkpoint.flatMap { location =>
      try new CheckpointFiles(location, configuration).queryId
      catch { case NonFatal(_) => None } // Spark reads this file next and reports a better error
    }

  /** Returns the first batch after a start from this checkpoint: 0 if the checkpoint is new or cannot be
    * read.
    */
  def next(checkpoint: String, configuration: Configuration): Planned =
    try {
      val files = new CheckpointFiles(checkpoint, configuration)
      new Planned(files.nextBatch, files.planned(_))
    } catch { case NonFatal(_) => new Planned(0, BatchDigests.unknown) }
}

/** The batches of one query. Called on the thread of these batches. An absent file means an unknown batch. An
  * existing but unreadable file is an error: if it counted as absent, a batch that was planned again would be
  * skipped.
  *
  * Error: `STOPLOG_CHECKPOINT_UNREADABLE`.
  *
  * @param batch      the next batch
  * @param checkpoint of the query, if the location is known
  */
private[stoplog] final class PlannedBatches(
    batch: Long,
    checkpoint: Option[String],
    configuration: Configuration
) extends BatchDigests {

  // Read at once, before the checkpoint changes while the query runs.
  private val now = planned(batch)

  override def of(batchId: Long): Option[BatchDigest] =
    (if (batchId == batch) now else planned(batchId)).map(_.digest)

  /** The times of the next batch. */
  def times: BatchTimes = now.fold(BatchTimes.unknown)(_.times)

  private def planned(batchId: Long): Option[PlannedBatches.PlannedBatch] = checkpoint.flatMap { location =>
    try new CheckpointFiles(location, configuration).offsets(batchId).map(PlannedBatches.read)
    catch { case NonFatal(e) => throw Errors.checkpointUnreadable(location, e) }
  }
}

private[stoplog] object PlannedBatches {

  /** The identity of a micro-batch. Spark writes the offsets of its sources to `offsets/<batch>` in the
    * checkpoint before the batch starts. If Spark repeats the batch, Spark uses this file and does not write
    * the file again.
    *
    * If the checkpoint was restored from an older copy, or has lost its newest files, Spark plans the batch
    * of this number again. The plan extends to the newest offsets, so at least the time in the file differs.
    */
  private[checkpoint] final case class PlannedBatch(digest: BatchDigest, times: BatchTimes)

  /** @param offsets the lines of the file; the line with the times is a JSON object */
  private[checkpoint] def read(offsets: Array[Byte]): PlannedBatch = {
    val times = new String(offsets, UTF_8).linesIterator
      .filter(_.startsWith("{"))
      .flatMap(line => Try(mapper.readTree(line)).toOption)
      .find(_.has(Started))
      .fold(BatchTimes.unknown)(node => BatchTimes(millis(node, Started), millis(node, Watermark)))
    PlannedBatch(BatchDigest.of(offsets), times)
  }

  /** Spark writes 0 for an absent value. */
  private def millis(node: JsonNode, name: String): Option[Long] =
    Option(node.path(name).asLong(0)).filter(_ > 0)

  private final val Started   = "batchTimestampMs"
  private final val Watermark = "batchWatermarkMs"

  private val mapper = new ObjectMapper()
}
