// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import scala.util.control.NonFatal

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.types.StructType

import stoplog.error.{Causes, Errors}

/** Spark's own formats, by the names of their classes: some are private to Scala code outside of Spark, though not to the
  * JVM. The names are the same in all lines from 4.0 to 4.3.
  */
private[stoplog] object SparkFormats {

  def of(name: SourceFormatName.Blocks): FileFormat = loaded(s"$Package.${className(name)}")

  private def className(name: SourceFormatName.Blocks): String = name match {
    case SourceFormatName.MultiLineJson => "execution.datasources.json.JsonFileFormat"
    case SourceFormatName.MultiLineCsv  => "execution.datasources.csv.CSVFileFormat"
    case SourceFormatName.Parquet       => "execution.datasources.parquet.ParquetFileFormat"
    case SourceFormatName.Orc           => "execution.datasources.orc.OrcFileFormat"
    case SourceFormatName.Avro          => "avro.AvroFileFormat"
    case SourceFormatName.BinaryFile    => "execution.datasources.binaryfile.BinaryFileFormat"
  }

  private def loaded(name: String): FileFormat =
    Class
      .forName(name, true, classOf[FileFormat].getClassLoader)
      .getDeclaredConstructor()
      .newInstance()
      .asInstanceOf[FileFormat]

  private final val Package = "org.apache.spark.sql"

  /** The columns that files say they have. */
  object BlockSchema {

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
}
