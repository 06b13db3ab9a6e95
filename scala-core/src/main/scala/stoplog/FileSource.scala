// SPDX-License-Identifier: Apache-2.0
package stoplog

import java.util.{List => JList, Map => JMap}

import scala.annotation.varargs
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, DataFrameReader, SparkSession}
import org.apache.spark.sql.streaming.DataStreamReader

import stoplog.format.read.RowFormat
import stoplog.options.{ColumnNames, ContentOptions, FileOptions, SourceOptionRegistry, SourceOptions}
import stoplog.source.file.FileFinder
import stoplog.source.format.{BulkFormat, SimpleStreamFormat, StreamFormat}
import stoplog.util.UserObject

/** Reads files as a stream or as a table, with each record exactly once. A `FileSource` is fully configured.
  *
  * {{{
  * val source = FileSource
  *   .forRecordStreamFormat("json", "/data/incoming")
  *   .withMaxBytesPerTrigger(1L << 30)
  *   .monitorContinuously("10s")
  *   .build()
  *
  * val events = source.readStream(spark).schema("at TIMESTAMP, message STRING").load()
  * }}}
  *
  * Immutable. The same options can be set one by one on `format("stoplog")`.
  * `docs/reference/source-options.md` lists all options.
  */
final class FileSource private[stoplog] (settings: Map[String, String]) extends Configured(settings) {

  /** Returns a stream reader with all options. The caller sets the columns and calls `load()`. */
  def readStream(spark: SparkSession): DataStreamReader =
    spark.readStream.format(FileSource.Format).options(settings)

  /** Returns a batch reader of the files that exist now. Ends with `load()`. */
  def read(spark: SparkSession): DataFrameReader = spark.read.format(FileSource.Format).options(settings)

  /** Loads a stream without an explicit schema: text, or files that contain their schema. */
  def stream(spark: SparkSession): DataFrame = readStream(spark).load()

  override def toString: String = UserObject.described("FileSource", settings)
}

object FileSource {

  /** The name for `format(…)` in a read without a builder. */
  val Format: String = FileSink.Format

  /** Creates a builder for a source that reads record by record.
    *
    * @param format `text`, `json`, `csv` or `lengthDelimited`, or the name of a user-defined class
    * @param path   a file, a directory, or a pattern
    * @param more   further paths on the same file system
    */
  @varargs
  def forRecordStreamFormat(format: String, path: String, more: String*): FileSourceBuilder =
    new FileSourceBuilder(Map("format" -> format) ++ located(path +: more))

  /** Creates a builder for a source that reads record by record with a custom format. */
  @varargs
  def forRecordStreamFormat[R](
      format: StreamFormat[R] with RowFormat[R],
      path: String,
      more: String*
  ): FileSourceBuilder =
    forRecordStreamFormat(UserObject.reference(format, ContentOptions.FormatName.key), path, more: _*)

  /** Creates a builder for a source with a custom format, which reads each file from its start. */
  @varargs
  def forRecordStreamFormat[R](
      format: SimpleStreamFormat[R] with RowFormat[R],
      path: String,
      more: String*
  ): FileSourceBuilder =
    forRecordStreamFormat(UserObject.reference(format, ContentOptions.FormatName.key), path, more: _*)

  /** Creates a builder for a source that reads records in blocks.
    *
    * @param format `parquet`, `orc`, `avro` or `binaryFile`, or the name of a user-defined class
    * @param path   a file, a directory, or a pattern
    * @param more   further paths on the same file system
    */
  @varargs
  def forBulkFileFormat(format: String, path: String, more: String*): FileSourceBuilder =
    forRecordStreamFormat(format, path, more: _*)

  /** Creates a builder for a source that reads records in blocks with a custom format. */
  @varargs
  def forBulkFileFormat[R](
      format: BulkFormat[R] with RowFormat[R],
      path: String,
      more: String*
  ): FileSourceBuilder =
    forRecordStreamFormat(UserObject.reference(format, ContentOptions.FormatName.key), path, more: _*)

  /** Creates a source from options.
    *
    * @throws stoplog.error.StoplogArgumentException if any option is invalid; the message lists all problems
    */
  def fromOptions(options: JMap[String, String]): FileSource = {
    SourceOptions.parse(options)
    new FileSource(options.asScala.toMap)
  }

  /** Returns the keys of all options. */
  def optionKeys(): JList[String] = SourceOptionRegistry.all.map(_.key).asJava

  private def located(paths: Seq[String]): Map[String, String] = paths match {
    case Seq(path) => Map("path" -> path)
    case several   => Map("paths" -> ContentOptions.Paths.values.render(several))
  }
}

/** Builds a [[FileSource]]. Immutable: each method returns a new builder. Only [[build]] checks options. */
final class FileSourceBuilder private[stoplog] (options: Map[String, String]) {

  /** Sets the minimum time between two listings, such as `10s`. By default each trigger lists. */
  def monitorContinuously(interval: String): FileSourceBuilder = withOption("monitorInterval", interval)

  /** Undoes [[monitorContinuously]]. With the trigger `availableNow` a stream ends after existing files. */
  def processStaticFileSet(): FileSourceBuilder = new FileSourceBuilder(options - "monitorInterval")

  /** Sets the maximum number of files, or splits of files, in a micro-batch. */
  def withMaxFilesPerTrigger(files: Long): FileSourceBuilder =
    withOption("maxFilesPerTrigger", files.toString)

  /** Sets the maximum number of stored bytes in a micro-batch. Larger files are split. */
  def withMaxBytesPerTrigger(bytes: Long): FileSourceBuilder =
    withOption("maxBytesPerTrigger", bytes.toString)

  /** Sets the maximum number of rows in a micro-batch. A block is never split. */
  def withMaxRowsPerTrigger(rows: Long): FileSourceBuilder = withOption("maxRowsPerTrigger", rows.toString)

  /** Sets the handling of files changed after they were read: `ignore`, `reread` or `tail`. */
  def withOnChangedFile(choice: String): FileSourceBuilder = withOption("onChangedFile", choice)

  /** Sets the file enumerator: `blockSplitting`, `nonSplitting`, or the name of a [[FileFinder]] class. */
  def withFileEnumerator(enumerator: String): FileSourceBuilder = withOption("fileEnumerator", enumerator)

  /** Finds the files with a custom [[FileFinder]]. */
  def withFileEnumerator(finder: FileFinder): FileSourceBuilder =
    withFileEnumerator(UserObject.reference(finder, FileOptions.FileEnumerator.key))

  /** Sets the partition columns, for a query that starts before such directories exist. */
  def withPartitionColumns(columns: String*): FileSourceBuilder =
    withOption("partitionColumns", ColumnNames.render(columns))

  /** Sets a glob pattern. Only files with matching names are read. */
  def withPathGlobFilter(pattern: String): FileSourceBuilder = withOption("pathGlobFilter", pattern)

  /** Sets the minimum time between the last write to a file and its first read, such as `30s`. */
  def withMinFileAge(age: String): FileSourceBuilder = withOption("minFileAge", age)

  /** Sets how long the length of a file must stay constant before the first read, such as `10s`. */
  def withStableFor(time: String): FileSourceBuilder = withOption("stableFor", time)

  /** Sets the name of a marker for complete files: `_SUCCESS` in their directory, or `{name}.done`. */
  def withReadyMarker(name: String): FileSourceBuilder = withOption("readyMarker", name)

  /** Restricts listings to dated directories in a range. Other directories are not listed.
    *
    * @param pattern the pattern of directory names below the path, such as `'dt='yyyy-MM-dd'/hour='HH` or
    *                `yyyy/MM/dd`
    * @param from    the first date, such as `2026-11-01`
    * @param until   the date after the last date
    * @param within  the maximum time since the end of a directory's date, such as `7d`
    */
  def withDates(
      pattern: String,
      from: Option[String] = None,
      until: Option[String] = None,
      within: Option[String] = None
  ): FileSourceBuilder = {
    val dates  = Seq(from, until)
    val limits = Option.when(dates.exists(_.isDefined))(dates.map(_.mkString).mkString("/")) ++ within
    val dated  = withOption("datePattern", pattern)
    if (limits.isEmpty) dated else dated.withOption("dateRange", limits.mkString(", "))
  }

  /** Skips undecodable records and records the failures in this directory. */
  def withQuarantine(directory: String): FileSourceBuilder =
    withOption("quarantinePath", directory)

  /** Reads only the data that an earlier query skipped, by its records in this directory. For batch reads. */
  def withReadQuarantined(directory: String): FileSourceBuilder = withOption("readQuarantined", directory)

  /** Sets how a stream handles a file compacted by a sink: `fail`, `read` or `skip`. */
  def withOnMergedPart(choice: String): FileSourceBuilder = withOption("onMergedPart", choice)

  /** Sets how a stream handles a file written by a job that replaces partitions: `fail`, `read` or `skip`. */
  def withOnReplacedPart(choice: String): FileSourceBuilder = withOption("onReplacedPart", choice)

  /** Sets any option by name: an option of the source, or of Spark's own reader of the format. */
  def withOption(key: String, value: String): FileSourceBuilder =
    new FileSourceBuilder(options + (key -> value))

  /** Creates the source.
    *
    * @throws stoplog.error.StoplogArgumentException if any option is invalid; the message lists all problems
    */
  def build(): FileSource = FileSource.fromOptions(options.asJava)
}
