// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.time.{Instant, LocalDate, LocalDateTime, OffsetDateTime, ZoneId, ZoneOffset}

import scala.util.Try

import stoplog.bucket.DateTimeBucketAssigner
import stoplog.source.file.{
  DatePattern => Dates, DateRange => Range, FileFinder, Glob, Nesting, Readiness, ReadyMarker => Marker
}

/** The files read by a source, and the conditions before a file is read.
  *
  * @param names     the names to read; `None` for all except hidden names
  * @param finder    `None` for the default listing
  * @param readiness when a file counts as complete; all conditions must hold
  */
private[stoplog] final case class FileOptions(
    names: Option[Glob],
    nesting: Nesting,
    finder: Option[FileFinder],
    readiness: Readiness,
    dates: Option[Range]
)

private[stoplog] object FileOptions extends OptionList(OptionGroup.Files) {

  val FileEnumerator: Opt[Option[FileFinder]] = withDefault(
    "fileEnumerator",
    OptionType
      .words[Option[FileFinder]]("blockSplitting" -> None, "nonSplitting" -> Some(FileFinder.NonSplitting))
      .copy(described = "`blockSplitting`, `nonSplitting`, or a class name", takesParameters = true),
    None,
    "com.example.ManifestFinder"
  )(
    "The method of file discovery. `blockSplitting`: all files below `path`, with large files split into " +
      "pieces. `nonSplitting`: all files below `path`, unsplit. A class: a custom method, which extends " +
      "`stoplog.source.file.FileFinder` and has a public constructor without arguments."
  )

  val PathGlobFilter: Opt[Glob] =
    option("pathGlobFilter", OptionType[Glob]("pattern", Glob.parse(_), _.toString), "*.log")(
      "all names but hidden ones",
      "Only files with matching names are read. Names that start with `.` or `_`, or end with " +
        "`._COPYING_`, are skipped unless `path` contains the name."
    )

  val RecursiveFileLookup: Opt[Nesting] =
    choice[Nesting]("recursiveFileLookup", "true" -> Nesting.Recursive, "false" -> Nesting.Flat)(
      "false",
      "Whether subdirectories of the path are read."
    )

  val MinFileAge: Opt[Long] = option("minFileAge", OptionType.span, "30s")(
    AtOnce,
    "A file that was modified within this time waits, because the file may be incomplete."
  )

  val StableFor: Opt[Long] = option("stableFor", OptionType.span, "10s")(
    AtOnce,
    "A file is read after two listings, at least this time apart, have found the same length. Only for " +
      "continuous streams: a batch query, and the trigger `availableNow`, list once and find no such file."
  )

  val ReadyMarker: Opt[Marker] = option(
    "readyMarker",
    OptionType[Marker]("name of a file, or a pattern with `{name}` in it", marker(_), written(_)),
    "{name}.done"
  )(
    AtOnce,
    "Files are read only if this file exists: `_SUCCESS` in the same directory, or `{name}.done` next to " +
      "each file. Markers are never read."
  )

  // Parsed with the zone of timeZone.
  val DatePattern: Opt[String] = option(
    "datePattern",
    OptionType.text.as("pattern of Java's `DateTimeFormatter`, with `/` between levels"),
    DateTimeBucketAssigner.DefaultPattern
  )(
    "all directories are listed",
    "The pattern of dates in names of directories below `path`. Directories outside of `dateRange` are " +
      "not listed, and their files are not forgotten. Directories that do not match the pattern are listed. Put " +
      "literal text in quotes: `'day='yyyy-MM-dd`."
  )

  // Parsed with the zone of timeZone.
  val DateRange: Opt[String] = option(
    "dateRange",
    OptionType.text.as("`from/until`, a time, or both, separated by a comma"),
    "2026-11-01/2026-12-01"
  )(
    "no limit",
    "Directories outside of this range are not listed. `from/until`: dates, or dates and times, of which one may " +
      "be absent: `2026-11-01/`, `/2026-12-01T12:00`. A time, such as `7d`: directories that ended at least this " +
      "time before the listing. The time zone is `timeZone`, or UTC."
  )

  def parse(reader: OptionReader): FileOptions = {
    val finder = finderOf(reader)
    // A user-defined finder returns only complete files.
    if (finder.exists(_ != FileFinder.NonSplitting))
      reader.withoutEffect(Seq(ReadyMarker), "with a custom fileEnumerator")
    FileOptions(
      reader.get(PathGlobFilter),
      reader(RecursiveFileLookup),
      finder,
      readiness(reader),
      dates(reader)
    )
  }

  private def finderOf(reader: OptionReader): Option[FileFinder] =
    reader.text(FileEnumerator).map(_.trim) match {
      case Some(name) if name.startsWith("instance:") || name.contains('.') =>
        reader.reference(FileEnumerator).flatMap(reader.userObject(FileEnumerator, _, classOf[FileFinder]))
      case _ => reader(FileEnumerator)
    }

  private[options] def readiness(reader: OptionReader): Readiness = Readiness(
    reader.get(MinFileAge).getOrElse(Readiness.atOnce.leastAgeMillis),
    reader.get(StableFor),
    reader.get(ReadyMarker)
  )

  private[options] def dates(reader: OptionReader): Option[Range] = {
    val zone    = reader.get(ContentOptions.TimeZone).getOrElse(ZoneOffset.UTC)
    val pattern = reader.read(DatePattern)(Dates.parse(_, zone))
    if (!reader.isSet(DatePattern)) reader.withoutEffect(Seq(DateRange), "unless datePattern is set")
    else if (!reader.isSet(DateRange))
      reader.errors.add("datePattern has no effect without dateRange: set dateRange.")
    pattern.flatMap(pattern => reader.read(DateRange)(range(pattern, _, zone)))
  }

  private def range(pattern: Dates, text: String, zone: ZoneId): Either[String, Range] = {
    val (intervals, spans) = text.split(",", -1).map(_.trim).toSeq.partition(_.contains('/'))
    if (intervals.size > 1 || spans.size > 1) Left("is not from/until and a time, such as 2026-11-01/, 7d")
    else
      for {
        limits <- intervals.headOption.fold[Either[String, (Option[Instant], Option[Instant])]](
          Right((None, None))
        )(interval(_, zone))
        within <- spans.headOption.fold[Either[String, Option[Long]]](Right(None))(
          TimeSpan.parse(_).map(Option(_)).left.map { _ =>
            "is neither from/until, such as 2026-11-01/2026-12-01, nor a time, such as 7d"
          }
        )
      } yield Range(pattern, limits._1, limits._2, within)
  }

  private def interval(text: String, zone: ZoneId): Either[String, (Option[Instant], Option[Instant])] =
    text.split("/", -1).map(_.trim) match {
      case Array("", "")      => Left("has neither a first nor a last date")
      case Array(from, until) =>
        for {
          first <- limit(from, zone)
          last  <- limit(until, zone)
        } yield (first, last)
      case _ => Left("has more than one '/'")
    }

  private def limit(text: String, zone: ZoneId): Either[String, Option[Instant]] =
    if (text.isEmpty) Right(None) else instant(text, zone).map(Some(_))

  private def instant(text: String, zone: ZoneId): Either[String, Instant] = {
    val word = text.trim.replace(' ', 'T')
    Try(LocalDate.parse(word).atStartOfDay(zone).toInstant)
      .orElse(Try(LocalDateTime.parse(word).atZone(zone).toInstant))
      .orElse(Try(OffsetDateTime.parse(word).withOffsetSameInstant(ZoneOffset.UTC).toInstant))
      .toEither
      .left
      .map(_ => "is not a date; write for example 2026-11-01 or 2026-11-01T12:00")
  }

  private def marker(text: String): Either[String, Marker] = {
    val name = text.trim
    val at   = name.indexOf(NameOfFile)
    if (name.contains('/')) Left("is not the name of a file in the same directory")
    else if (at < 0) Right(Marker.InDirectory(name))
    else if (name == NameOfFile) Left("is the name of each file itself")
    else if (name.indexOf(NameOfFile, at + 1) > 0) Left("has {name} twice")
    else Right(Marker.PerFile(name.take(at), name.drop(at + NameOfFile.length)))
  }

  private def written(marker: Marker): String = marker match {
    case Marker.InDirectory(name)      => name
    case Marker.PerFile(before, after) => s"$before$NameOfFile$after"
  }

  private final def NameOfFile = "{name}"
  private final def AtOnce     = "files are read immediately"
}
