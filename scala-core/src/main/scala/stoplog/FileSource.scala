// SPDX-License-Identifier: Apache-2.0
package stoplog

import java.util.{List => JList, Map => JMap}

import scala.annotation.varargs
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, DataFrameReader, SparkSession}
import org.apache.spark.sql.streaming.DataStreamReader

import stoplog.error.Redaction
import stoplog.format.read.RowFormat
import stoplog.options.{ContentOptions, SourceOptionRegistry, SourceOptions}
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
final class FileSource private[stoplog] (settings: Map[String, String]) {

  /** The options that stand for this source, those at their defaults left out. */
  def options(): JMap[String, String] = settings.asJava

  /** A stream reader with everything of the source set; the columns and `load()` are the caller's. */
  def readStream(spark: SparkSession): DataStreamReader =
    spark.readStream.format(FileSource.Format).options(settings)

  /** A batch reader of what is there now; ends with `load()`. */
  def read(spark: SparkSession): DataFrameReader = spark.read.format(FileSource.Format).options(settings)

  /** The rows of a stream reader that needs no columns to be named: text, or files that say which they have. */
  def stream(spark: SparkSession): DataFrame = readStream(spark).load()

  override def equals(other: Any): Boolean = other match {
    case that: FileSource => options() == that.options()
    case _                => false
  }

  override def hashCode: Int = settings.hashCode

  override def toString: String =
    Redaction.options("FileSource", settings.map { case (key, value) => key -> UserObject.shown(value) })
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
    FileSourceBuilder(Map("format" -> format) ++ located(path +: more))

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
