// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.spark.sql.SparkSession

import stoplog.commit.BatchDigests
import stoplog.log.BatchDigest
import stoplog.place.CheckpointFiles

/** What micro-batches are. Spark writes the offsets of its sources to `offsets/<batch>` in the checkpoint before it begins
  * one, and goes by that file, which it does not write again, when it repeats it.
  *
  * Where the checkpoint was restored from an older copy, or has lost its newest files, Spark plans a batch of the same
  * number anew, up to the newest offsets: with another time in the file at least.
  */
private[stoplog] object PlannedBatches {

  /** Those of one query, asked on the thread of its batches. Where the file cannot be found or read, nothing can tell.
    *
    * @param batch      that is about to begin, whose digest is taken now
    * @param checkpoint where it is, if the write was told; the running query knows it better
    */
  def of(queryId: String, batch: Long, checkpoint: Option[String]): BatchDigests = {
    val now = digest(queryId, batch, checkpoint)
    asked => if (asked == batch) now else digest(queryId, asked, checkpoint)
  }

  private def digest(queryId: String, batch: Long, checkpoint: Option[String]): Option[BatchDigest] =
    root(queryId).orElse(checkpoint).flatMap { location =>
      try new CheckpointFiles(location, SparkHadoop.configuration).planned(batch)
      catch { case NonFatal(_) => None }
    }

  /** Spark keeps it from sinks, also where it has made the directory itself. */
  private def root(queryId: String): Option[String] = Try {
    QueryContext
      .running(SparkSession.active, queryId)
      .map(query => query.getClass.getMethod("resolvedCheckpointRoot").invoke(query).asInstanceOf[String])
  }.toOption.flatten
}
