// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import scala.util.Try

import org.apache.hadoop.fs.{Path => HadoopPath}

import stoplog.error.Causes
import stoplog.source.file.{CleanSource => Cleaning, Monitoring, OnMissingFile}
import stoplog.source.file.Monitoring.{
  AbsenceLimits, OnChangedFile => Changed, OnMergedPart => Merged, OtherDirectory => Other
}

/** How a source handles files that change, are gone, were compacted, have been read, or cannot be decoded.
  *
  * @param quarantine the directory for notes about data that cannot be decoded and is skipped; `None` lets
  *   the query fail
  * @param leftOut    the notes of an earlier query, whose omitted data are the only data to read
  */
private[stoplog] final case class FollowOptions(
    monitoring: Monitoring,
    onMissing: OnMissingFile,
    quarantine: Option[String],
    leftOut: Option[String]
)

private[stoplog] object FollowOptions extends OptionList(OptionGroup.Files) {

  val OnChangedFile: Opt[Changed] = choice[Changed](
    "onChangedFile",
    "ignore" -> Changed.Ignore,
    "reread" -> Changed.Reread,
    "tail"   -> Changed.Tail
  )(
    "tail",
    "The reaction to another length or time of a file that has been read. `ignore`: none. `reread`: read " +
      "the whole file again. `tail`: read appended data up to the last complete line. A file with other " +
      "bytes before the position is a new file. `tail` supports only `text`, `json` and `csv` in UTF-8 " +
      "without compression. The source records exactly which files have been read: a new file may have any " +
      "modification time."
  )

  val IgnoreMissingFiles: Opt[OnMissingFile] = withDefault(
    "ignoreMissingFiles",
    OptionType.words[OnMissingFile]("true" -> OnMissingFile.Skip, "false" -> OnMissingFile.Fail),
    OnMissingFile.Fail,
    "true"
  )(
    "Whether to continue without a file that was deleted after the planning of the micro-batch, or without " +
      "the rest of a file that was replaced between the pieces. A file that exists but cannot be opened is " +
      "an error."
  )

  val MonitorInterval: Opt[Long] = option("monitorInterval", OptionType.span, "30s")(
    "at each trigger",
    "The minimum time between two listings of the directories."
  )

  val ForgetMissingAfter: Opt[Long] = withDefault(
    "forgetMissingAfter",
    OptionType.span,
    AbsenceLimits().forgetMillis,
    "7d"
  )(
    "The time for which listings must not find a file before the source forgets the file. Later, a file of " +
      "this name is new, and read again. Earlier, a file of this name is a changed file, or the same file: " +
      "see `onChangedFile`. A file is absent only if the directory is still the same directory as at the " +
      "time of reading, and if the rules include the file. Files that `cleanSource` has removed are " +
      "forgotten at once."
  )

  val OnOtherDirectory: Opt[(Other, Long)] = withDefault(
    "onOtherDirectory",
    OptionType[(Other, Long)](
      "`wait`, `wait` with a time after it, or `accept`",
      otherDirectory(_),
      written(_)
    ),
    (Other.Wait, AbsenceLimits().waitMillis),
    "accept"
  )(
    "The reaction if a directory is no longer the directory in which files were read, such as the empty " +
      "mount point of an unmounted disk. Local disks and HDFS identify directories by inodes or file ids. " +
      "`wait`: none of these files counts as removed, new files are read, and the log and the metric " +
      "`awaitedDirectories` report the directory. If the path contains no file at all, the query fails after " +
      "the time. `accept`: the directory was replaced on purpose, or the storage has new ids. Then files are " +
      "forgotten after `forgetMissingAfter`."
  )

  val CleanSource: Opt[String] = withDefault(
    "cleanSource",
    OptionType.named(Seq("off", "archive", "delete"))(identity),
    "off",
    "archive"
  )(
    "The handling of a file after the commit of the micro-batch that read the end of the file. The source " +
      "learns of the commit when Spark plans the next micro-batch, or when the query stops. A replacement of " +
      "the file is a new file. The source keeps a file that was changed in place, and a file that cannot be " +
      "moved. With `delete`, the source also keeps a file if the quarantine skipped bytes of the file " +
      "without a note."
  )

  val SourceArchiveDir: Opt[String] = option(
    "sourceArchiveDir",
    OptionType.directory.as("directory on the same file system"),
    "/data/archive"
  )(
    "required with `cleanSource` = `archive`",
    "The directory of archived files, which keep their paths relative to `path`. If the name is taken, the " +
      "name of the archived file contains the modification time. The directory must not be read by the " +
      "source, that is, not be below one of the source's paths unless hidden or excluded by the pattern, " +
      "and not be above the paths if nested directories are read."
  )

  val OnMergedPart: Opt[Merged] =
    choice[Merged]("onMergedPart", "fail" -> Merged.Fail, "read" -> Merged.Read, "skip" -> Merged.Skip)(
      "read",
      "The reaction of a streaming query to a file that a sink has [compacted](../files/compaction.md) " +
        "from smaller files: the rows may have been read from the smaller files. The source detects such a " +
        "file by the name. `fail`: the query ends with an error. `read`: for a directory in which " +
        "compaction has stopped before the start of the query. `skip`: if the query reads all small files " +
        "before compaction. A batch query reads all files."
    )

  val OnReplacedPart: Opt[Merged] =
    choice[Merged]("onReplacedPart", "fail" -> Merged.Fail, "read" -> Merged.Read, "skip" -> Merged.Skip)(
      "skip",
      "The handling of a file that a job has written to " +
        "[replace partitions](../files/overwrites.md), which has such a name: the query may have read the " +
        "replaced rows. `fail`: it ends with an error. `read`: the rows are read as new rows, for a " +
        "directory in which a partition is replaced before the query reads it. `skip`: the query keeps to " +
        "the rows that it has read. A batch query reads them all."
    )

  val QuarantinePath: Opt[String] = option("quarantinePath", OptionType.directory, "/data/quarantine")(
    "data that cannot be decoded end the query",
    "Skips data that cannot be decoded, and writes a note with the file, the position and the cause to this " +
      "directory, as a line of JSON. The skipped data is a single record, or the rest of the piece if the " +
      "position of the next record is unknown. `mode` of JSON and CSV is `FAILFAST` unless set. Each note is " +
      "written once, even if a file is read several times. Each query needs a separate directory, which must " +
      "not be read by the source, as for `sourceArchiveDir`."
  )

  val ReadQuarantined: Opt[String] = option("readQuarantined", OptionType.directory, "/data/quarantine")(
    "all data are read",
    "Read only the data that the notes in this directory name as omitted, for example after the files were " +
      "repaired, or with other columns. The value is the `quarantinePath` of the earlier query. Together with " +
      "the rows of the earlier query, each row is read once. Only for batch queries; remove the notes " +
      "afterwards. Data that still cannot be decoded end the query."
  )

  def parse(reader: OptionReader): FollowOptions = {
    val forgetMillis        = reader(ForgetMissingAfter)
    val (other, waitMillis) = reader(OnOtherDirectory)
    val monitoring          = Monitoring(
      reader(OnChangedFile),
      reader(OnMergedPart),
      reader.get(MonitorInterval).getOrElse(0L),
      wholeListingMillis(forgetMillis),
      cleaning(reader),
      AbsenceLimits(forgetMillis, other, waitMillis),
      reader(OnReplacedPart)
    )
    val read = FollowOptions(
      monitoring,
      reader(IgnoreMissingFiles),
      reader.text(QuarantinePath),
      reader.text(ReadQuarantined)
    )
    if (read.leftOut.isDefined && read.quarantine.isDefined)
      reader.errors.add("readQuarantined and quarantinePath exclude each other: remove quarantinePath.")
    if (monitoring.onChangedFile == Changed.Tail && monitoring.cleaning != Cleaning.Keep)
      reader.errors.add(
        "onChangedFile = 'tail' and cleanSource exclude each other: a growing file is never complete."
      )
    read
  }

  /** Ten complete listings, which alone detect absent files, fit into the time before a file is forgotten. */
  private def wholeListingMillis(forgetMillis: Long): Long =
    (forgetMillis / 10).max(1).min(Monitoring.WholeListingMillis)

  private def cleaning(reader: OptionReader): Cleaning = reader(CleanSource) match {
    case "archive" => archive(reader)
    case other     =>
      reader.withoutEffect(Seq(SourceArchiveDir), "unless cleanSource is set to archive")
      if (other == "delete") Cleaning.Delete else Cleaning.Keep
  }

  private def archive(reader: OptionReader): Cleaning = reader.text(SourceArchiveDir) match {
    case None =>
      reader.errors.add("cleanSource = 'archive' needs sourceArchiveDir: set it to a directory.")
      Cleaning.Keep
    case Some(directory) =>
      // Kept as written: the scheme and the server decide where files are moved.
      Try(new HadoopPath(directory)).failed.foreach { e =>
        reader.errors.add(s"sourceArchiveDir = '$directory' is not a path: ${Causes.reason(e)}.")
      }
      Cleaning.Archive(directory)
  }

  private def otherDirectory(text: String): Either[String, (Other, Long)] = {
    val (name, time) = text.trim.span(!_.isWhitespace)
    OptionType.oneOf[Other](Seq("wait" -> Other.Wait, "accept" -> Other.Accept))(name).flatMap {
      case Other.Accept if time.nonEmpty => Left("must not have a time with accept")
      case other if time.isEmpty         => Right(other -> AbsenceLimits().waitMillis)
      case other                         => TimeSpan.parse(time).map(other -> _)
    }
  }

  private def written(rule: (Other, Long)): String = rule match {
    case (Other.Accept, _) => "accept"
    case (_, millis)       => s"wait ${TimeSpan.render(millis)}"
  }
}
