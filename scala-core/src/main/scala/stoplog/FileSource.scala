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

/** Files as a stream or as a table, each record exactly once: the source, fully set.
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
  * Immutable. The same options can be set one by one on `format("stoplog")`; they are listed in
  * `docs/reference/source-options.md`.
  */
final class FileSource private[stoplog] (settings: Map[String, String]) extends Configured(settings) {

  /** A stream reader with everything of the source set; the columns and `load()` are the caller's. */
  def readStream(spark: SparkSession): DataStreamReader =
    spark.readStream.format(FileSource.Format).options(settings)

  /** A batch reader of the files that exist now; ends with `load()`. */
  def read(spark: SparkSession): DataFrameReader = spark.read.format(FileSource.Format).options(settings)

  /** The rows of a stream reader that needs no columns to be named: text, or files that say which they have. */
  def stream(spark: SparkSession): DataFrame = readStream(spark).load()

  override def toString: String = UserObject.described("FileSource", settings)
}

object FileSource {

  /** The name for `format(…)` in a read without a builder. */
  val Format: String = FileSink.Format

  /** A source that reads record by record.
    *
    * @param format `text`, `json`, `csv` or `lengthDelimited`, or the name of a class of your own
    * @param path   a file, a directory, or a pattern
    * @param more   further ones, on the same file system
    */
  @varargs
  def forRecordStreamFormat(format: String, path: String, more: String*): FileSourceBuilder =
    new FileSourceBuilder(Map("format" -> format) ++ located(path +: more))

  /** A source that reads record by record, by a format of your own. */
  @varargs
  def forRecordStreamFormat[R](
      format: StreamFormat[R] with RowFormat[R],
      path: String,
      more: String*
  ): FileSourceBuilder =
    forRecordStreamFormat(UserObject.reference(format, ContentOptions.FormatName.key), path, more: _*)

  /** A source that reads record by record, each file from its beginning, by a format of your own. */
  @varargs
  def forRecordStreamFormat[R](
      format: SimpleStreamFormat[R] with RowFormat[R],
      path: String,
      more: String*
  ): FileSourceBuilder =
    forRecordStreamFormat(UserObject.reference(format, ContentOptions.FormatName.key), path, more: _*)

  /** A source that reads many records together.
    *
    * @param format `parquet`, `orc`, `avro` or `binaryFile`, or the name of a class of your own
    * @param path   a file, a directory, or a pattern
    * @param more   further ones, on the same file system
    */
  @varargs
  def forBulkFileFormat(format: String, path: String, more: String*): FileSourceBuilder =
    forRecordStreamFormat(format, path, more: _*)

  /** A source that reads many records together, by a format of your own. */
  @varargs
  def forBulkFileFormat[R](
      format: BulkFormat[R] with RowFormat[R],
      path: String,
      more: String*
  ): FileSourceBuilder =
    forRecordStreamFormat(UserObject.reference(format, ContentOptions.FormatName.key), path, more: _*)

  /** The source that these options describe.
    *
    * @throws stoplog.error.StoplogArgumentException with all that is wrong with them at once
    */
  def fromOptions(options: JMap[String, String]): FileSource = {
    SourceOptions.parse(options)
    new FileSource(options.asScala.toMap)
  }

  /** The keys of all options there are. */
  def optionKeys(): JList[String] = SourceOptionRegistry.all.map(_.key).asJava

  private def located(paths: Seq[String]): Map[String, String] = paths match {
    case Seq(path) => Map("path" -> path)
    case several   => Map("paths" -> ContentOptions.Paths.values.render(several))
  }
}

/** Sets a [[FileSource]]. Immutable: each call answers a new builder. Nothing is checked before [[build]]. */
final class FileSourceBuilder private[stoplog] (options: Map[String, String]) {

  /** The least time between two listings, such as `10s`; without it directories are listed at each trigger. */
  def monitorContinuously(interval: String): FileSourceBuilder = withOption("monitorInterval", interval)

  /** Takes [[monitorContinuously]] back. A stream of the files that exist now ends with the trigger `availableNow`. */
  def processStaticFileSet(): FileSourceBuilder = new FileSourceBuilder(options - "monitorInterval")

  /** The most files, or pieces of files, that a micro-batch reads. */
  def withMaxFilesPerTrigger(files: Long): FileSourceBuilder =
    withOption("maxFilesPerTrigger", files.toString)

  /** The most bytes of the storage that a micro-batch reads; a larger file is read by several. */
  def withMaxBytesPerTrigger(bytes: Long): FileSourceBuilder =
    withOption("maxBytesPerTrigger", bytes.toString)

  /** The most rows that a micro-batch reads; of a file of blocks, one block at least. */
  def withMaxRowsPerTrigger(rows: Long): FileSourceBuilder = withOption("maxRowsPerTrigger", rows.toString)

  /** `ignore`, `reread` or `tail`: what becomes of a file that has been read and is another now. */
  def withOnChangedFile(choice: String): FileSourceBuilder = withOption("onChangedFile", choice)

  /** `blockSplitting`, `nonSplitting`, or the name of a class that finds the files: a [[FileFinder]]. */
  def withFileEnumerator(enumerator: String): FileSourceBuilder = withOption("fileEnumerator", enumerator)

  /** Finds the files in a way of your own. */
  def withFileEnumerator(finder: FileFinder): FileSourceBuilder =
    withFileEnumerator(UserObject.reference(finder, FileOptions.FileEnumerator.key))

  /** The columns that the names of directories tell, where they cannot be seen when the query begins. */
  def withPartitionColumns(columns: String*): FileSourceBuilder =
    withOption("partitionColumns", ColumnNames.render(columns))

  /** The pattern of the names of files that are read. */
  def withPathGlobFilter(pattern: String): FileSourceBuilder = withOption("pathGlobFilter", pattern)

  /** The least time since the last write to a file before it is read, such as `30s`. */
  def withMinFileAge(age: String): FileSourceBuilder = withOption("minFileAge", age)

  /** For how long listings must find a file with the same length before it is read, such as `10s`. */
  def withStableFor(time: String): FileSourceBuilder = withOption("stableFor", time)

  /** The file that says that others are complete: `_SUCCESS` in their directory, or `{name}.done` beside each. */
  def withReadyMarker(name: String): FileSourceBuilder = withOption("readyMarker", name)

  /** The directories named by dates that are listed; others are not even looked into.
    *
    * @param pattern how they are named below the path, such as `'dt='yyyy-MM-dd'/hour='HH` or `yyyy/MM/dd`
    * @param from    the first date, such as `2026-11-01`
    * @param until   the date behind the last
    * @param within  how long ago they ended at most, such as `7d`
    */
  def withDates(
      pattern: String,
      from: Option[String] = None,
      until: Option[String] = None,
      within: Option[String] = None
  ): FileSourceBuilder = {
    val limits = Seq("dateFrom" -> from, "dateUntil" -> until, "dateWithin" -> within)
    limits.foldLeft(withOption("datePattern", pattern)) { case (builder, (key, limit)) =>
      limit.fold(builder)(builder.withOption(key, _))
    }
  }

  /** Leaves out what cannot be decoded, and notes it in this directory. */
  def withQuarantine(directory: String): FileSourceBuilder =
    withOption("onCorrupt", "quarantine").withOption("quarantinePath", directory)

  /** `fail`, `read` or `skip`: what a stream does with a file that a sink has merged from smaller ones. */
  def withOnMergedPart(choice: String): FileSourceBuilder = withOption("onMergedPart", choice)

  /** Any option by its name: of the source, or of Spark's own reader of the format. */
  def withOption(key: String, value: String): FileSourceBuilder =
    new FileSourceBuilder(options + (key -> value))

  /** The source.
    *
    * @throws stoplog.error.StoplogArgumentException with all that is wrong at once
    */
  def build(): FileSource = FileSource.fromOptions(options.asJava)
}
