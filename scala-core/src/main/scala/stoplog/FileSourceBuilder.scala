// SPDX-License-Identifier: Apache-2.0
package stoplog

import scala.jdk.CollectionConverters._

import stoplog.options.{ColumnNames, FileOptions}
import stoplog.source.file.FileFinder
import stoplog.util.UserObject

/** Sets a [[FileSource]]. Immutable: each call answers a new builder. Nothing is checked before [[build]]. */
final class FileSourceBuilder private (options: Map[String, String]) {

  /** How often directories are listed at most, such as `10s`; without it at each trigger. */
  def monitorContinuously(interval: String): FileSourceBuilder = withOption("monitorInterval", interval)

  /** Takes [[monitorContinuously]] back. A stream of what is there now ends with the trigger `availableNow`. */
  def processStaticFileSet(): FileSourceBuilder = new FileSourceBuilder(options - "monitorInterval")

  /** How many files, or pieces of files, a micro-batch reads at most. */
  def withMaxFilesPerTrigger(files: Long): FileSourceBuilder =
    withOption("maxFilesPerTrigger", files.toString)

  /** How many bytes of the storage a micro-batch reads at most; a larger file is read by several. */
  def withMaxBytesPerTrigger(bytes: Long): FileSourceBuilder =
    withOption("maxBytesPerTrigger", bytes.toString)

  /** How many rows a micro-batch reads at most; of a file of blocks, one block at least. */
  def withMaxRowsPerTrigger(rows: Long): FileSourceBuilder = withOption("maxRowsPerTrigger", rows.toString)

  /** `ignore`, `reread` or `tail`: what becomes of a file that has been read and is another now. */
  def withOnChangedFile(choice: String): FileSourceBuilder = withOption("onChangedFile", choice)

  /** `blockSplitting`, `nonSplitting`, or the name of a class that finds the files: a [[FileFinder]]. */
  def withFileEnumerator(enumerator: String): FileSourceBuilder = withOption("fileEnumerator", enumerator)

  /** Finds the files in a way of your own. */
  def withFileEnumerator(finder: FileFinder): FileSourceBuilder =
    withFileEnumerator(UserObject.reference(finder, FileOptions.FileEnumerator.key))

  /** Which columns the names of directories tell, where they cannot be seen when the query begins. */
  def withPartitionColumns(columns: String*): FileSourceBuilder =
    withOption("partitionColumns", ColumnNames.render(columns))

  /** Which names of files are read. */
  def withPathGlobFilter(pattern: String): FileSourceBuilder = withOption("pathGlobFilter", pattern)

  /** The least time since the last write to a file before it is read, such as `30s`. */
  def withMinFileAge(age: String): FileSourceBuilder = withOption("minFileAge", age)

  /** For how long listings must find a file with the same length before it is read, such as `10s`. */
  def withStableFor(time: String): FileSourceBuilder = withOption("stableFor", time)

  /** The file that says that others are complete: `_SUCCESS` in their directory, or `{name}.done` beside each. */
  def withReadyMarker(name: String): FileSourceBuilder = withOption("readyMarker", name)

  /** Which directories named by dates are listed; others are not even looked into.
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

private[stoplog] object FileSourceBuilder {
  def apply(options: Map[String, String]): FileSourceBuilder = new FileSourceBuilder(options)
}
