// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import scala.util.control.NonFatal

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType

import stoplog.error.{Causes, Errors}

/** The columns that files say they have. */
private[stoplog] object BlockSchema {

  /** Error: `STOPLOG_SOURCE_FILE_UNREADABLE`.
    *
    * @param files none where there is no file yet: some formats have columns without one
    */
  def of(
      name: SourceFormatName.Blocks,
      files: Seq[FileStatus],
      options: Map[String, String]
  ): Option[StructType] =
    if (files.isEmpty && name != SourceFormatName.BinaryFile) None
    else
      try SparkFormats.of(name).inferSchema(SparkSession.active, options, files)
      catch {
        case NonFatal(e) =>
          val which = if (files.size == 1) files.head.getPath.toString else s"one of ${files.size} files"
          throw Errors.sourceFileUnreadable(which, "the names of its columns", Causes.reason(e), e)
      }
}
