// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.nio.charset.{Charset, StandardCharsets}
import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._
import scala.util.Try

import stoplog.error.Errors
import stoplog.options.{SourceOptionRegistry => Registry}
import stoplog.source.ReadLimits
import stoplog.source.file._

/** What a source was asked to read: all options of one read, checked and with their defaults.
  *
  * The meaning, default and an example of every option are in [[SourceOptionRegistry]].
  *
  * @param passThrough options of the format alone, in Spark's spelling
  */
final case class SourceOptions(
    paths: Vector[String],
    format: SourceFormatName,
    charset: Charset,
    lineSep: Option[String],
    names: Option[Glob],
    nesting: Nesting,
    finder: Option[FileFinder],
    readiness: Readiness,
    dates: Option[DateRange],
    onChangedFile: OnChangedFile,
    onMissing: OnMissingFile,
    onMergedPart: OnMergedPart,
    monitorIntervalMillis: Long,
    wholeListingMillis: Long,
    cleaning: Cleaning,
    onCorrupt: OnCorrupt,
    columns: Option[Seq[String]],
    partitionColumns: Option[Seq[String]],
    limits: ReadLimits,
    passThrough: Map[String, String]
)

object SourceOptions {

  /** Reads the options of a read, whatever the case of their names. Those of a sink are passed over: they may be a
    * session's defaults.
    *
    * Throws `STOPLOG_INVALID_OPTIONS` with all problems at once; or `STOPLOG_PATH_MISSING` if that is the only one.
    *
    * {{{
    * SourceOptions.parse(java.util.Map.of("path", "/data/events", "format", "text"))
    * }}}
    */
  def parse(options: JMap[String, String]): SourceOptions = {
    val problems = new Problems
    val asked   = new AskedOptions(SparkOptions.spelled(options), problems, Registry.all, Registry.ownClasses)
    val format  = SourceFormats.parse(asked, problems)
    val charset = asked.value(Registry.Charset)(SourceOptions.charset)
    val corrupt = CorruptOptions.parse(asked, problems)
    val finder  = SourceFinding.parse(asked)
    ReadyOptions.refuse(asked, finder)
    val read = SourceOptions(
      paths = SourcePaths.parse(asked, problems),
      format = format.getOrElse(SourceFormatName.Text),
      charset = charset,
      lineSep = asked.textOrEmpty(Registry.LineSep).filter(_.nonEmpty),
      names = asked.optional(Registry.PathGlobFilter)(Glob.parse),
      nesting = if (asked.value(Registry.RecursiveFileLookup)(truth)) Nesting.Recursive else Nesting.Flat,
      finder = finder,
      readiness = ReadyOptions.parse(asked),
      dates = DateOptions.parse(asked, problems),
      onChangedFile = asked.value(Registry.OnChangedFile)(AskedOptions.oneOf(changes)),
      onMissing =
        if (asked.value(Registry.IgnoreMissingFiles)(truth)) OnMissingFile.Skip else OnMissingFile.Fail,
      onMergedPart = MergedPartOptions.parse(asked),
      monitorIntervalMillis = asked.optional(Registry.MonitorInterval)(TimeSpan.parse).getOrElse(0L),
      wholeListingMillis = asked.value(Registry.WholeListingInterval)(TimeSpan.parse),
      cleaning = SourceCleaning.parse(asked, problems),
      onCorrupt = corrupt,
      columns = asked.optional(Registry.Columns)(ColumnNames.parse),
      partitionColumns = asked.optional(SourceFormatRegistry.PartitionColumns)(ColumnNames.parse),
      limits = limitsOf(asked),
      passThrough = CorruptOptions.mode(corrupt, format, SourcePassThrough.parse(asked, format, problems)) ++
        SourceFormats.toSpark(format, charset)
    )
    if (read.onChangedFile == OnChangedFile.Tail && read.cleaning != Cleaning.Keep)
      problems.add(
        "onChangedFile = 'tail' and cleanSource do not go together: a file that grows is never done with."
      )
    asked.refuseIdleParameters()
    problems.throwIfAny()
    read
  }

  /** The limits alone, of a source that is not stoplog's. Throws `STOPLOG_INVALID_OPTIONS`. */
  def limits(options: JMap[String, String]): ReadLimits = {
    val problems = new Problems
    val read     = limitsOf(new AskedOptions(options.asScala.toSeq, problems, Registry.all))
    problems.throwIfAny()
    read
  }

  private def limitsOf(asked: AskedOptions): ReadLimits = ReadLimits(
    splits = asked.optional(Registry.MaxFilesPerTrigger)(AskedOptions.wholeNumber),
    bytes = asked.optional(Registry.MaxBytesPerTrigger)(ByteSize.parse),
    records = asked.optional(Registry.MaxRowsPerTrigger)(AskedOptions.wholeNumber)
  )

  private val changes = Seq(
    "ignore" -> OnChangedFile.Ignore,
    "reread" -> OnChangedFile.Reread,
    "tail"   -> OnChangedFile.Tail
  )

  private def charset(name: String): Either[String, Charset] =
    Try(Charset.forName(name.trim)).toEither.left.map(_ => "is no character set that this JVM knows")

  private def truth(text: String): Either[String, Boolean] =
    AskedOptions.oneOf(Seq("true" -> true, "false" -> false))(text)

  private[stoplog] val utf8: Charset = StandardCharsets.UTF_8

  private[options] def missing(problems: Problems): Unit =
    problems.add(
      "path is not set: set it to what is to be read, or pass it to load(…).",
      Errors.pathMissing()
    )
}
