// SPDX-License-Identifier: Apache-2.0
package stoplog.place

import java.io.FileNotFoundException

import scala.util.Using

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import stoplog.log.BatchDigest

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
  def offsets(batch: Long): Option[Array[Byte]] =
    try Some(bytes(new Path(new Path(root, "offsets"), batch.toString)))
    catch { case _: FileNotFoundException => None }

  /** The last batch in `commits`. */
  def lastCommitted: Option[Long] = {
    val directory = new Path(root, "commits")
    if (!files.exists(directory)) None
    else files.listStatus(directory).toVector.flatMap(_.getPath.getName.toLongOption).maxOption
  }

  private def bytes(file: Path): Array[Byte] = Using.resource(files.open(file))(_.readAllBytes())
}
