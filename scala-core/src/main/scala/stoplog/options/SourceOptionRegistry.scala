// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.options.OptionGroup._

/** Every option of the source, once: the parser, `docs/source-options.md` and the Python package are held to this list.
  */
object SourceOptionRegistry extends OptionForms with MergedPartEntries {

  val Path: SinkOption = required(
    Source,
    "path",
    "file, directory, or pattern",
    "What is read. `load(path)` sets it too. A pattern may have `*`, `?`, `[a-z]` and `{one,two}` in its names.",
    "/data/events/2026-*"
  )

  val Paths: SinkOption = option(
    Source,
    "paths",
    "JSON array of strings",
    "only `path`",
    "Several paths, each as `path` has it, beside `path` or instead. The builders set it, and Spark does for " +
      "`load(Seq(…))`. All of them belong to one file system.",
    "[\"/data/eu\", \"/data/us\"]"
  )

  /** Those that may name a class of the user's: `<option>.<name>` is a parameter of it. */
  private[stoplog] def ownClasses: Seq[SinkOption] = Seq(FormatName, SourceFinding.FileEnumerator)

  val FormatName: SinkOption = required(
    Source,
    "format",
    "`text`, `json`, `csv`, `lengthDelimited`, `parquet`, `orc`, `avro`, `binaryFile`, or a class name",
    "What the files are. `text`: a row for each line. `json`, `csv`: lines of it, read by Spark's own parsers, with " +
      "their options; with `multiLine` = `true`, records that go over lines, of which a file is never cut. Lines may be compressed: in files whose names end in `.gz`, `.zst`, `.zstd`, `.bz2`, `.deflate`, `.lz4` or " +
      "`.snappy`. `parquet`, `orc`, `avro`: read by Spark's own readers; the columns are those of the youngest file if " +
      "`schema(…)` does not name them. `binaryFile`: a row for each file, with all its bytes. " +
      "`lengthDelimited`: records of bytes behind their lengths, in one column `value`; may be compressed, as lines. A " +
      "class: a format of one's own, which extends `stoplog.source.format.StreamFormat`, `SimpleStreamFormat` or " +
      "`BulkFormat`, and `stoplog.format.read.RowFormat`, and has a public constructor without arguments.",
    "json"
  )

  val Charset: SinkOption = withDefault(
    Source,
    "charset",
    "name of a character set",
    "UTF-8",
    "In which the text is. A large file can be read in pieces side by side only in UTF-8.",
    "ISO-8859-1"
  )

  val LineSep: SinkOption = option(
    Source,
    "lineSep",
    "text",
    "`\\n`, `\\r\\n` and `\\r`",
    "What ends a line, as in Spark.",
    "\\u0001"
  )

  val OwnSource: SinkOption = option(
    Source,
    "source",
    "class name",
    "files",
    "A source of one's own instead of files: the name of a class that extends `stoplog.format.read.RowSource` and has a " +
      "public constructor without arguments. It gets all other options, of which only the limits below mean the same.",
    "com.example.NumbersSource"
  )

  val Columns: SinkOption = option(
    Source,
    "columns",
    "column names, separated by commas",
    "all",
    "The columns that are read. Spark asks a streaming source for all that it has, whatever the query needs of them: " +
      "what is not named here is not decoded.",
    "id,word"
  )

  val PathGlobFilter: SinkOption = option(
    Files,
    "pathGlobFilter",
    "pattern",
    "all names but hidden ones",
    "Only files whose names match are read. Names that begin with `.` or `_`, or end in `._COPYING_`, never are, unless `path` " +
      "spells them out.",
    "*.log"
  )

  val RecursiveFileLookup: SinkOption = withDefault(
    Files,
    "recursiveFileLookup",
    "`true` or `false`",
    "true",
    "Whether directories below the path are read too.",
    "false"
  )

  val OnChangedFile: SinkOption = withDefault(
    Files,
    "onChangedFile",
    "`ignore`, `reread` or `tail`",
    "ignore",
    "What to do with a file that has been read, and has another length or time now. `ignore`: nothing. `reread`: read " +
      "all of it again. `tail`: read what was added, as far as lines are complete (a shorter file is read again). It is " +
      "known exactly which files have been read: a new file may be as old as it likes.",
    "tail"
  )

  val IgnoreMissingFiles: SinkOption = withDefault(
    Files,
    "ignoreMissingFiles",
    "`true` or `false`",
    "false",
    "Whether to go on without a file that was deleted between the planning of its micro-batch and the reading.",
    "true"
  )

  val MonitorInterval: SinkOption = option(
    Files,
    "monitorInterval",
    "time",
    "at each trigger",
    "How much time passes at least before the directories are listed again.",
    "30s"
  )

  val WholeListingInterval: SinkOption = withDefault(
    Files,
    "wholeListingInterval",
    "time",
    "10m",
    "On local disks and HDFS, with `onChangedFile` = `ignore`, a listing passes over directories whose own times have not " +
      "changed since the last. After so much time all are listed: only that tells which files are gone. A short time, as " +
      "`1ms`, has all of them listed each time. Other storages keep no times of directories: there all always are.",
    "1h"
  )

  val CleanSource: SinkOption = withDefault(
    Files,
    "cleanSource",
    "`off`, `archive` or `delete`",
    "off",
    "What becomes of a file once the micro-batch that read the end of it is committed, which Spark tells when it plans " +
      "the next one. A file that is no longer the one that was read is left alone, and so is one that cannot be moved.",
    "archive"
  )

  val SourceArchiveDir: SinkOption = option(
    Files,
    "sourceArchiveDir",
    "directory on the same file system",
    "required with `cleanSource` = `archive`",
    "Where files go that are archived, under the paths that they have below `path`. Not below `path`, unless hidden.",
    "/data/archive"
  )

  val MaxFilesPerTrigger: SinkOption = option(
    Admission,
    "maxFilesPerTrigger",
    "whole number",
    "no limit",
    "A micro-batch reads at most this many files, or pieces of files.",
    "1000"
  )

  val MaxBytesPerTrigger: SinkOption = option(
    Admission,
    "maxBytesPerTrigger",
    "size",
    "no limit",
    "A micro-batch reads at most this much, as it lies on the storage. A larger file is read by several micro-batches.",
    "1g"
  )

  val MaxRowsPerTrigger: SinkOption = option(
    Admission,
    "maxRowsPerTrigger",
    "whole number",
    "no limit",
    "A micro-batch reads at most this many rows; of a file of blocks, one row group, stripe or block at least. To know " +
      "where lines end, the driver reads them, too; of files of blocks it reads where the blocks are.",
    "1000000"
  )

  /** All of them, in the order of the options' page. */
  val all: Seq[SinkOption] = Seq(
    Seq(Path, Paths, FormatName, OwnSource, Columns, Charset, LineSep),
    SourceFormatRegistry.all,
    Seq(
      SourceFinding.FileEnumerator,
      PathGlobFilter,
      RecursiveFileLookup
    ),
    ReadyRegistry.all,
    DateRegistry.all,
    Seq(
      OnChangedFile,
      IgnoreMissingFiles,
      MonitorInterval,
      WholeListingInterval,
      CleanSource,
      SourceArchiveDir,
      OnMergedPart
    ),
    CorruptRegistry.all,
    Seq(MaxFilesPerTrigger, MaxBytesPerTrigger, MaxRowsPerTrigger)
  ).flatten
}
