// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import scala.util.Using
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}

import stoplog.error.Errors
import stoplog.log.BatchDigest

/** What the checkpoint of a query says of it. */
private[admin] object Checkpoint {

  /** The batch that was planned and not committed is the one that it begins with; else the one after the last. */
  def owner(location: String, configuration: Configuration): NewOwner =
    try {
      val root  = new Path(location)
      val files = root.getFileSystem(configuration)
      val next  = batches(files, new Path(root, "commits")).fold(0L)(_ + 1)
      NewOwner(queryId(files, root), next, planned(files, new Path(new Path(root, "offsets"), next.toString)))
    } catch { case NonFatal(e) => throw Errors.checkpointUnreadable(location, String.valueOf(e.getMessage)) }

  private def queryId(files: FileSystem, root: Path): String =
    Using.resource(files.open(new Path(root, "metadata"))) { in =>
      Option(new ObjectMapper().readTree(in: java.io.InputStream).get("id")).map(_.asText()).getOrElse {
        throw new IllegalArgumentException("its metadata has no id")
      }
    }

  private def planned(files: FileSystem, offsets: Path): Option[BatchDigest] =
    Option.when(files.exists(offsets)) {
      BatchDigest.of(Using.resource(files.open(offsets))(_.readAllBytes()))
    }

  private def batches(files: FileSystem, directory: Path): Option[Long] =
    if (!files.exists(directory)) None
    else files.listStatus(directory).toVector.flatMap(_.getPath.getName.toLongOption).maxOption
}
