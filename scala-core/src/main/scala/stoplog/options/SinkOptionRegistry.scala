// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.bucket.DateTimeBucketAssigner
import stoplog.options.OptionGroup._
import stoplog.storage.Truncation

/** Every option of stoplog, once: the parser, `docs/options.md` and the Python package are held to this list.
  */
object SinkOptionRegistry
    extends CompactionEntries
    with OwnClasses
    with BucketZones
    with RestartEntries
    with EventTimeEntries {

  val Path: SinkOption = required(
    Format,
    "path",
    "directory",
    "The directory that the finished files go to. `start(path)` and `save(path)` set it too.",
    "/data/events"
  )

  val FormatName: SinkOption = option(
    Format,
    "format",
    "`text`, `json`, `csv`, `parquet`, `orc`, `avro` or `sequencefile`",
    "required, unless `encoder` or `bulkWriter` is set",
    "How rows become bytes. `text` writes one column of strings or bytes, a line per row. With any other format, " +
      "all options that Spark's own data source of the format has for writing may be set beside those listed here, " +
      "and mean the same; so may `parquet.…` and `orc.…` settings, and `metadata.<key>` for the file's own metadata. " +
      "`sequencefile` writes one column of values, or two of keys and values.",
    "json"
  )

  val Encoder: SinkOption = option(
    Format,
    "encoder",
    "class name",
    "none",
    "An own row format instead of `format`: the name of a class that extends `stoplog.format.Encoder` and has a " +
      "public constructor without arguments, or of a Scala object.",
    "com.example.KeyValueEncoder"
  )

  val BulkWriter: SinkOption = option(
    Format,
    "bulkWriter",
    "class name",
    "none",
    "An own bulk format instead of `format`: the name of a class that extends `stoplog.format.bulk.BulkWriterFactory`, " +
      "or `stoplog.format.bulk.BulkFormat`, and has a public constructor without arguments, or of a Scala object.",
    "com.example.ColumnsWriter"
  )

  val Compression: SinkOption = option(
    Format,
    "compression",
    "a codec's name",
    "`none`; with bulk formats, what Spark's own sink of the format would take",
    "How the files are compressed: `none`, `gzip`, `zstd`, `lz4`, `snappy` or `bzip2` for rows, of which a member or " +
      "frame ends with each epoch, so that very small micro-batches compress less well; for a bulk format, the codecs " +
      "that Spark knows for it, inside its blocks.",
    "zstd"
  )

  val LineSep: SinkOption = option(
    Format,
    "lineSep",
    "text",
    "a line feed",
    "What ends a row in `text`, `json` and `csv`, as in Spark.",
    "\\r\\n"
  )

  val NullValue: SinkOption = option(
    Format,
    "nullValue",
    "text",
    "`text`: a null is an error; `csv`: nothing between the separators",
    "What `text` and `csv` write for a null.",
    "NULL"
  )

  val RollingPolicy: SinkOption = withDefault(
    Rolling,
    "rollingPolicy",
    "`default`, `onCheckpoint` or class name",
    "default",
    "`default` keeps a part open across micro-batches until one of the limits below is reached. `onCheckpoint` " +
      "closes every part at the end of its epoch: rows are visible at once, in many more files. A class extends " +
      "`stoplog.rolling.RollingPolicy` and has a public constructor without arguments.",
    "onCheckpoint"
  )

  val MaxPartSize: SinkOption = option(
    Rolling,
    "maxPartSize",
    "size",
    "`128m`; with `onCheckpoint`: no limit",
    "A part that holds more than this on storage, after compression, is closed. It passes the limit by at most one " +
      "row and what the compressor still held back.",
    "256m"
  )

  val MaxRecordsPerPart: SinkOption = option(
    Rolling,
    "maxRecordsPerPart",
    "whole number, or `none`",
    "no limit",
    "A part holds at most this many rows.",
    "1000000"
  )

  val RolloverInterval: SinkOption = withDefault(
    Rolling,
    "rolloverInterval",
    "time, or `none`",
    "15m",
    "A part that was opened this long ago is closed, whether rows still arrive or not. Only with the `default` policy.",
    "1 hour"
  )

  val InactivityInterval: SinkOption = withDefault(
    Rolling,
    "inactivityInterval",
    "time, or `none`",
    "5m",
    "A part that got no row for this long is closed. Only with the `default` policy.",
    "90s"
  )

  val BucketCheckInterval: SinkOption = withDefault(
    Rolling,
    "bucketCheckInterval",
    "time",
    "1m",
    "How often the driver looks for parts that are past one of the two intervals while no data arrives. With data, " +
      "this happens at the end of each micro-batch too.",
    "10s"
  )

  val BucketBy: SinkOption = option(
    Bucket,
    "bucketBy",
    "SQL expression",
    "none",
    "The bucket of a row is the value of this expression over the row's columns, as a string; `/` separates " +
      "directories. Functions of time use the session's time zone. Not together with `partitionBy` or `bucketAssigner`.",
    "concat('region=', region)"
  )

  val PartitionBy: SinkOption = option(
    Bucket,
    "partitionBy",
    "column names, separated by commas",
    "none",
    "Directories `column=value` as Hive and Spark lay them out; these columns are left out of the files. Names with " +
      "a comma go between backticks. Not together with `bucketBy` or `bucketAssigner`. Spark drops the columns of " +
      "`DataStreamWriter.partitionBy` before the sink sees them: use this option.",
    "year,month"
  )

  val BucketAssigner: SinkOption = withDefault(
    Bucket,
    "bucketAssigner",
    "`dateTime`, `basePath` or class name",
    "dateTime",
    "`dateTime` names the bucket after a time (see the options below), `basePath` writes into the path itself. A " +
      "class extends `stoplog.bucket.BucketAssigner` and has a public constructor without arguments.",
    "basePath"
  )

  val BucketFormat: SinkOption = withDefault(
    Bucket,
    "bucketFormat",
    "pattern of `java.time.format.DateTimeFormatter`",
    DateTimeBucketAssigner.DefaultPattern,
    "How `dateTime` writes the time; `/` in it makes directories in directories, and text in quotes stands for itself. " +
      "Levels `name=value` are columns for Spark, pyarrow, DuckDB and pandas. A sink whose log has recorded another " +
      "pattern goes on with that one, unless this option is set.",
    "'day='yyyy-MM-dd"
  )

  val BucketColumn: SinkOption = option(
    Bucket,
    "bucketColumn",
    "column name",
    "the time of processing",
    "The timestamp or date column from which `dateTime` takes the time.",
    "event_time"
  )

  val PartPrefix: SinkOption = withDefault(
    Name,
    "partPrefix",
    "text",
    "part",
    "What the names of the finished files begin with: `<prefix>-<uid>-<n><suffix>`. No `/`, and not `.` or `_` first.",
    "events"
  )

  val PartSuffix: SinkOption = option(
    Name,
    "partSuffix",
    "text, may be empty",
    "from the format and the compression, such as `.json.gz`",
    "What the names of the finished files end with, with its dot.",
    ".ndjson"
  )

  val InProgress: SinkOption = withDefault(
    Name,
    "inProgress",
    "`staging` or `bucket`",
    "staging",
    "Where parts are kept until they are finished: `staging` under `_stoplog` in the path, `bucket` beside the " +
      "finished files, under the names that the four options below make.",
    "bucket"
  )

  val InProgressPrefix: SinkOption =
    marker("inProgressPrefix", "_", "What the name of an open part begins with: `.` or `_` first.", ".")

  val InProgressSuffix: SinkOption =
    marker("inProgressSuffix", ".in-progress", "What the name of an open part ends with.", ".open")

  val PendingPrefix: SinkOption = marker(
    "pendingPrefix",
    "_",
    "What the name of a closed part begins with until its epoch is committed: `.` or `_` first.",
    "."
  )

  val PendingSuffix: SinkOption = marker(
    "pendingSuffix",
    ".pending",
    "What the name of a closed part ends with until its epoch is committed.",
    ".closed"
  )

  val MaxOpenParts: SinkOption = withDefault(
    Writer,
    "maxOpenParts",
    "whole number",
    "1000",
    "How many parts one task keeps open at most. Beyond it, the part to which nothing was written for longest is " +
      "closed early. It bounds memory and open files.",
    "200"
  )

  val Distribution: SinkOption = withDefault(
    Writer,
    "distribution",
    "`none`, `byBucket` or a whole number",
    "none",
    "How Spark spreads the rows over the writers: `none` leaves them where they are, `byBucket` brings the rows of " +
      "one bucket to one writer (fewer, larger files, at the price of a shuffle), a number spreads them evenly " +
      "over so many writers.",
    "byBucket"
  )

  val SinkId: SinkOption = withDefault(
    Recovery,
    "sinkId",
    "1 to 64 of `A-Z a-z 0-9 . _ -`, a letter or digit first",
    "main",
    "The name of the commit log in the path. Two queries that write to one directory need two names.",
    "clicks"
  )

  val OnForeignQuery: SinkOption = withDefault(
    Recovery,
    "onForeignQuery",
    "`fail` or `adopt`",
    "fail",
    "What to do when the log belongs to another query (another checkpoint): refuse to start, or take it over.",
    "adopt"
  )

  val FinalizeOnTermination: SinkOption = withDefault(
    Recovery,
    "finalizeOnTermination",
    "`auto`, `always` or `never`",
    "auto",
    "Whether open parts are finished when the query ends. `auto`: with the triggers availableNow and once, and at " +
      "the end of a batch write; a part that is left open is continued by the next start.",
    "always"
  )

  val OnLostPart: SinkOption = withDefault(
    Recovery,
    "onLostPart",
    "`fail` or `skip`",
    "fail",
    "What to do when somebody else deleted a part that was written but not yet finished: stop, or go on without " +
      "its rows.",
    "skip"
  )

  val OnBadRow: SinkOption = withDefault(
    Recovery,
    "onBadRow",
    "`fail` or `reject`",
    "fail",
    "What to do with a row that cannot be written: stop, or put it aside as a line of JSON under `rejectPath`, " +
      "published with the other rows of its epoch.",
    "reject"
  )

  val RejectPath: SinkOption = withDefault(
    Recovery,
    "rejectPath",
    "directory under `path`, `_` or `.` first",
    "_rejected",
    "Where rejected rows are, each below it in the directory of its bucket. Only with `onBadRow` = `reject`.",
    "_bad"
  )

  val OnSchemaChange: SinkOption = withDefault(
    Recovery,
    "onSchemaChange",
    "`fail`, `additive` or `roll`",
    "roll",
    "What to do when a streaming query starts with other columns than before; their order does not matter. `roll`: go " +
      "on; where a file cannot hold both, open parts end with the columns that they have. `additive`: go on if " +
      "columns were only added, or may be null now. `fail`: go on with the same columns only.",
    "additive"
  )

  val UseTruncate: SinkOption = withDefault(
    Recovery,
    "useTruncate",
    "`true` or `false`",
    "true",
    "On HDFS and other Hadoop file systems, what becomes of bytes that a failed attempt wrote behind the committed " +
      "ones of a part. `true`: they are cut off, and readers need not care. `false`: they stay, and a file beside the " +
      "part says how many bytes count, as the BucketingSink did: every reader has to heed it. Local disks always cut.",
    "false"
  )

  val ValidLengthPrefix: SinkOption = validLength(
    "validLengthPrefix",
    Truncation.DefaultPrefix,
    "What the name of such a file begins with, before the name of its part: `.` or `_` first.",
    "."
  )

  val ValidLengthSuffix: SinkOption =
    validLength(
      "validLengthSuffix",
      Truncation.DefaultSuffix,
      "What the name of such a file ends with.",
      ".length"
    )

  val Durability: SinkOption = withDefault(
    Recovery,
    "durability",
    "`disk` or `process`",
    "disk",
    "What a committed epoch survives. `disk`: a power loss (an fsync per open part and epoch). `process`: the death " +
      "of any process, but not of the machine; faster.",
    "process"
  )

  val View: SinkOption = option(
    Read,
    "view",
    "`parts`, `epochs`, `open` or `buckets`",
    "none",
    "Which table `spark.read.format(\"stoplog\")` shows of the sink at `path`: its parts, its epochs, the parts that " +
      "are open now, or the buckets without a marker. Without it, files are read.",
    "open"
  )

  /** All of them, in the order of the options' page. */
  val all: Seq[SinkOption] = Seq(
    Seq(Path, FormatName, Encoder, BulkWriter, Compression, LineSep, NullValue),
    Seq(
      RollingPolicy,
      MaxPartSize,
      MaxRecordsPerPart,
      RolloverInterval,
      InactivityInterval,
      EventTimeInterval,
      EventTimeColumn,
      BucketCheckInterval
    ),
    compactionOptions,
    Seq(BucketBy, PartitionBy, BucketAssigner, BucketFormat, BucketColumn, BucketTimeZone, TimeZone),
    Seq(PartPrefix, PartSuffix, InProgress, InProgressPrefix, InProgressSuffix, PendingPrefix, PendingSuffix),
    Seq(MaxOpenParts, Distribution),
    Seq(SinkId, OnForeignQuery, OnRestart, FinalizeOnTermination, OnLostPart, OnSchemaChange, Durability),
    Seq(OnBadRow, RejectPath),
    Seq(UseTruncate, ValidLengthPrefix, ValidLengthSuffix),
    CompleteRegistry.all,
    Seq(LogOptions.OwnSink, LogOptions.LogLocation),
    Seq(View)
  ).flatten
}
