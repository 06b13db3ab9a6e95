// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration

import stoplog.error.Errors
import stoplog.place.CheckpointFiles

/** The facts about a query in its checkpoint. */
private[admin] object Checkpoint {

  /** The batch that was planned and not committed is the one that it begins with; else the one after the last. */
  def owner(location: String, configuration: Configuration): NewOwner =
    try {
      val files   = new CheckpointFiles(location, configuration)
      val next    = files.lastCommitted.fold(0L)(_ + 1)
      val queryId = files.queryId.getOrElse(throw new IllegalArgumentException("its metadata has no id"))
      NewOwner(queryId, next, files.planned(next))
    } catch { case NonFatal(e) => throw Errors.checkpointUnreadable(location, String.valueOf(e.getMessage)) }
}
