// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import scala.util.Using
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession

/** The query behind a checkpoint, before Spark says which it is: it does so only once there is data. */
private[spark] object KnownCheckpoint {

  /** @param checkpoint where it is, if that is known
    * @return the query's id; `None` when the checkpoint is new, or was not given as an option of the write.
    */
  def queryId(checkpoint: Option[String]): Option[String] = checkpoint.flatMap { location =>
    val file = new Path(location, "metadata")
    try {
      val files = file.getFileSystem(SparkSession.active.sparkContext.hadoopConfiguration)
      if (!files.exists(file)) None
      else
        Using.resource(files.open(file)) { in =>
          Option(new ObjectMapper().readTree(in: java.io.InputStream).get("id")).map(_.asText())
        }
    } catch { case NonFatal(_) => None } // Spark itself reads it next, and has the better message
  }
}
