// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.util.{Map => JMap}

import stoplog.error.{Errors, Redaction}
import stoplog.options.{SinkOptionRegistry => Registry}
import stoplog.rolling.RollingPolicy
import stoplog.storage.Durability

/** What a sink was asked to do: all options of one write, read, checked and with their defaults.
  *
  * Made by [[SinkOptions.parse]] only. The meaning, default and an example of every option are in
  * [[SinkOptionRegistry]].
  *
  * @param path
  *   the directory of the finished files, as it was given
  * @param format
  *   how a row becomes bytes
  * @param compression
  *   of rows, `none`, `gzip`, `zstd`, `lz4`, `snappy` or `bzip2`; that of a bulk format is among `passThrough`
  * @param rolling
  *   when a part is closed
  * @param eventTimeColumn
  *   where rows have their event time; none for the column of the query's `withWatermark`
  * @param bucketCheckIntervalMillis
  *   how often the driver asks the policy while no data arrives
  * @param bucketing
  *   which directory a row goes to
  * @param partPrefix
  *   what a finished name begins with
  * @param partSuffix
  *   what it ends with; none to derive it from format and compression
  * @param staging
  *   where unfinished parts are kept
  * @param maxOpenParts
  *   how many parts one task keeps open at most
  * @param distribution
  *   how Spark spreads the rows over the writers
  * @param sinkId
  *   the name of the commit log, which is a directory's name too
  * @param compaction
  *   whether and when small finished parts are merged
  * @param rejectPath
  *   the directory of rejected rows, under `path`
  * @param completeness
  *   when a bucket gets its marker, and whether files are listed
  * @param passThrough
  *   options of the format alone, in Spark's spelling
  * @param checkpointLocation
  *   Spark's option, which is here only if it was set as an option
  */
final class SinkOptions private (
    val path: String,
    val format: FormatChoice,
    val compression: String,
    val rolling: RollingPolicy,
    val eventTimeColumn: Option[String],
    val bucketCheckIntervalMillis: Long,
    val bucketing: Bucketing,
    val partPrefix: String,
    val partSuffix: Option[String],
    val staging: Staging,
    val maxOpenParts: Int,
    val distribution: Distribution,
    val sinkId: String,
    val onForeignQuery: OnForeignQuery,
    val onRestart: OnRestart,
    val finalizeOnTermination: FinalizeOnTermination,
    val onLostPart: OnLostPart,
    val onSchemaChange: OnSchemaChange,
    val onBadRow: OnBadRow,
    val rejectPath: String,
    val completeness: Completeness,
    val compaction: Option[CompactionChoice],
    val durability: Durability,
    val truncation: Truncation,
    val passThrough: Map[String, String],
    val checkpointLocation: Option[String],
    explicit: Map[String, String]
) extends Serializable {

  /** The options that were set, without defaults, in the registry's spelling; [[SinkOptions.parse]] reads
    * them back.
    */
  def toMap: Map[String, String] = explicit

  override def equals(other: Any): Boolean = other match {
    case that: SinkOptions => toMap == that.toMap
    case _                 => false
  }

  override def hashCode: Int = explicit.hashCode

  override def toString: String =
    Redaction.options("SinkOptions", explicit.map { case (key, value) => key -> UserObject.shown(value) })
}

object SinkOptions {

  /** Reads the options of a write, whatever the case of their names.
    *
    * Throws `STOPLOG_INVALID_OPTIONS` with all problems at once; or `STOPLOG_PATH_MISSING`,
    * `STOPLOG_USER_CODE`, `STOPLOG_BUCKET_FORMAT` or `STOPLOG_PARTITION_COLUMNS` if that is the only one.
    *
    * {{{
    * SinkOptions.parse(Map("path" -> "/data/events", "format" -> "json", "maxPartSize" -> "64m"))
    * }}}
    */
  def parse(options: Map[String, String]): SinkOptions = parse(options.toSeq)

  /** As above, from Java, and from the map that Spark hands to a data source. */
  def parse(options: JMap[String, String]): SinkOptions = parse(SparkOptions.spelled(options))

  private def parse(options: Seq[(String, String)]): SinkOptions = {
    val problems    = new Problems
    val asked       = new AskedOptions(options, problems, ownClasses = Registry.ownClasses)
    val path        = readPath(asked, problems)
    val format      = FormatOptions.format(asked, problems)
    val passThrough = PassThrough.parse(asked, format, problems)
    val rolling     = RollingOptions.parse(asked)
    val onBadRow    = RejectOptions.onBadRow(asked)
    val bucketing   = BucketingOptions.parse(asked, problems)
    asked.withoutEffect(Seq(Registry.View), "on a write, only with spark.read")
    asked.withoutEffect(Seq(LogOptions.LogLocation), "on a sink of files, which has its log with them")
    val read = new SinkOptions(
      path = path,
      format = format.getOrElse(FormatChoice.Rows("text")),
      compression = FormatOptions.compression(asked, format),
      rolling = rolling,
      eventTimeColumn = EventTimeOptions.column(asked, rolling, bucketing),
      bucketCheckIntervalMillis = asked.value(Registry.BucketCheckInterval)(TimeSpan.parse),
      bucketing = bucketing,
      partPrefix = NameOptions.prefix(asked),
      partSuffix = NameOptions.suffix(asked, problems),
      staging = NameOptions.staging(asked, problems),
      maxOpenParts = asked.value(Registry.MaxOpenParts)(count),
      distribution = asked.value(Registry.Distribution)(Distribution.parse),
      sinkId = asked.value(Registry.SinkId)(SinkIds.parse),
      onForeignQuery = asked.choice(Registry.OnForeignQuery, OnForeignQuery.all),
      onRestart = asked.choice(Registry.OnRestart, OnRestart.all),
      finalizeOnTermination = asked.choice(Registry.FinalizeOnTermination, FinalizeOnTermination.all),
      onLostPart = asked.choice(Registry.OnLostPart, OnLostPart.all),
      onSchemaChange = asked.choice(Registry.OnSchemaChange, OnSchemaChange.all),
      onBadRow = onBadRow,
      rejectPath = RejectOptions.path(asked, onBadRow),
      completeness = CompleteOptions.parse(asked, bucketing, problems),
      compaction = CompactionOptions.parse(asked, format, rolling, problems),
      durability = asked.choice(Registry.Durability, DurabilityChoice.all).durability,
      truncation = NameOptions.truncation(asked),
      passThrough = passThrough,
      checkpointLocation = asked.others.collectFirst {
        case (key, value) if key.equalsIgnoreCase("checkpointLocation") => value
      },
      explicit = asked.registeredValues ++ asked.parameterValues ++ passThrough ++ asked.others.filter(o =>
        PassThrough.isSparks(o._1)
      )
    )
    asked.refuseIdleParameters()
    problems.throwIfAny()
    read
  }

  private def readPath(asked: AskedOptions, problems: Problems): String =
    asked.text(Registry.Path).getOrElse {
      problems.add(
        "path is not set: set it to a directory, or pass it to start(…) or save(…).",
        Errors.pathMissing()
      )
      ""
    }

  private def count(text: String): Either[String, Int] =
    AskedOptions.wholeNumber(text).filterOrElse(_.isValidInt, "is too large").map(_.toInt)
}
