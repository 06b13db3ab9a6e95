// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import scala.util.control.NonFatal

import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType

import stoplog.error.{Causes, Errors}
import stoplog.format.bulk.SessionConfiguration
import stoplog.options.SourceFormatName

/** The columns that a file says it has. */
private[stoplog] object BlockSchema {

  /** Error: `STOPLOG_SOURCE_FILE_UNREADABLE`.
    *
    * @param file none where there is no file yet: some formats have columns without one
    */
  def of(
      name: SourceFormatName.Blocks,
      file: Option[HadoopPath],
      options: Map[String, String]
  ): Option[StructType] = {
    val session = SparkSession.active
    val found   =
      file.map(path => path.getFileSystem(SessionConfiguration(session, options)).getFileStatus(path))
    if (found.isEmpty && name != SourceFormatName.BinaryFile) None
    else
      try SparkFormats.of(name).inferSchema(session, options, found.toSeq)
      catch {
        case NonFatal(e) =>
          val file = found.fold("")(_.getPath.toString)
          throw Errors.sourceFileUnreadable(file, "the names of its columns", Causes.reason(e), e)
      }
  }
}
