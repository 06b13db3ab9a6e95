// SPDX-License-Identifier: Apache-2.0
package stoplog.checkpoint

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import stoplog.error.Errors
import stoplog.storage.{HiddenNames, RealPath, SinkDirectory}

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
    if (checkpoint.split('/').contains(SinkDirectory.Root))
      throw Errors.checkpointInSink(
        path,
        location,
        s"it is in ${SinkDirectory.Root}, whose files belong only to stoplog"
      )
    below(located(path, configuration), checkpoint).filterNot(HiddenNames.areIn).foreach { _ =>
      throw Errors.checkpointInSink(path, location, "readers of the sink's path would read its files as data")
    }
  }

  private def below(directory: String, location: String): Option[String] =
    if (location == directory) Some("")
    else Option.when(location.startsWith(s"$directory/"))(location.drop(directory.length + 1))

  /** Returns the location with its file system and without symbolic links, so that two spellings are equal.
    * Returns a path as written if Hadoop does not know its file system, which then holds no checkpoint.
    */
  private def located(location: String, configuration: Configuration): String = {
    val path      = new Path(location)
    val uri       = Try(path.getFileSystem(configuration).makeQualified(path)).getOrElse(path).toUri
    val scheme    = Option(uri.getScheme).fold("")(_.replaceFirst("^s3n?$", "s3a")) // three names of a bucket
    val authority = Option(uri.getAuthority).mkString
    val real      = if (scheme == "file") RealPath.of(uri.getPath) else uri.getPath
    s"$scheme://$authority${real.stripSuffix("/")}"
  }
}
