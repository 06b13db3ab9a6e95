// SPDX-License-Identifier: Apache-2.0
package stoplog.checkpoint

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import stoplog.error.Errors
import stoplog.storage.systems.CanonicalPath
import stoplog.storage.{HiddenNames, SinkDirectory}

/** The location of a query's checkpoint, relative to the path of its sink. */
private[stoplog] object CheckpointPlace {

  /** Rejects a checkpoint whose files readers of the sink would read as data, or that is in the directory of
    * a sink's log. A hidden directory under the sink's path is allowed.
    *
    * Error: `STOPLOG_CHECKPOINT_IN_SINK`.
    *
    * @param path     the sink's path
    * @param location the checkpoint's location
    */
  def refuse(path: String, location: String, configuration: Configuration): Unit = {
    val checkpoint = located(location, configuration)
    if (checkpoint.names.contains(SinkDirectory.Root))
      throw Errors.checkpointInSink(
        path,
        location,
        s"it is in ${SinkDirectory.Root}, whose files belong only to stoplog"
      )
    located(path, configuration).below(checkpoint).filterNot(HiddenNames.areIn).foreach { _ =>
      throw Errors.checkpointInSink(path, location, "readers of the sink's path would read its files as data")
    }
  }

  private def located(location: String, configuration: Configuration): CanonicalPath = {
    val path = new Path(location)
    CanonicalPath.of(path, path, configuration)
  }
}
