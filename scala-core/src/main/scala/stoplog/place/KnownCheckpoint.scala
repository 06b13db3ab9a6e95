// SPDX-License-Identifier: Apache-2.0
package stoplog.place

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration

/** The query behind a checkpoint, before Spark says which it is: it does so only once there is data. */
private[stoplog] object KnownCheckpoint {

  /** @param checkpoint where it is, if that is known
    * @return the query's id; `None` when the checkpoint is new, or was not given as an option of the write.
    */
  def queryId(checkpoint: Option[String], configuration: Configuration): Option[String] =
    checkpoint.flatMap { location =>
      try new CheckpointFiles(location, configuration).queryId
      catch { case NonFatal(_) => None } // Spark itself reads it next, and has the better message
    }
}
