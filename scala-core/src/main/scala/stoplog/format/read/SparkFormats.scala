// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import scala.util.control.NonFatal

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.types.StructType

import stoplog.error.{Causes, Errors}

/** Spark's formats, loaded by class name: some classes are private for Scala code outside of Spark, but not
  * for the JVM. The names are the same in all Spark versions from 4.0 to 4.3.
  */
private[stoplog] object SparkFormats {

  def of(name: SourceFormatName.Blocks): FileFormat = loaded(s"$Package.${className(name)}")

  /** Returns the options for Spark's reader of a format: the options set by the user, and one for Avro. With
    * a setting of Hadoop, Spark's reader returns no rows of a file without the suffix `.avro`. The source
    * decides which files are read.
    */
  def options(name: SourceFormatName.Blocks, set: Map[String, String]): Map[String, String] = name match {
    case SourceFormatName.Avro => set + (IgnoredWithoutSuffix -> "false")
    case _                     => set
  }

  private final val IgnoredWithoutSuffix = "avro.mapred.ignore.inputs.without.extension"

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

  /** The schema recorded in files. */
  object BlockSchema {

    /** Error: `STOPLOG_SOURCE_FILE_UNREADABLE`.
      *
      * @param files empty if no file exists yet: some formats have fixed columns
      */
    def of(
        name: SourceFormatName.Blocks,
        files: Seq[FileStatus],
        options: Map[String, String]
    ): Option[StructType] =
      if (files.isEmpty && name != SourceFormatName.BinaryFile) None
      else
        try SparkFormats.of(name).inferSchema(SparkSession.active, SparkFormats.options(name, options), files)
        catch {
          case NonFatal(e) =>
            val which = if (files.size == 1) files.head.getPath.toString else s"one of ${files.size} files"
            throw Errors.sourceFileUnreadable(which, "the names of its columns", Causes.reason(e), e)
        }
  }
}
