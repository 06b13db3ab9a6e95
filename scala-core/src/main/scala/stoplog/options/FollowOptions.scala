// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import org.apache.hadoop.fs.{Path => HadoopPath}

import stoplog.source.file.{CleanSource => Cleaning, Monitoring, OnMissingFile}
import stoplog.source.file.Monitoring.{
  AbsenceLimits, OnChangedFile => Changed, OnMergedPart => Merged, OtherDirectory => Other
}

/** How a source handles files that change, are gone, were merged, have been read, or cannot be decoded.
  *
  * @param quarantine the directory for notes about data that cannot be decoded and is skipped; `None` lets
  *   the query fail
  */
private[stoplog] final case class FollowOptions(
    monitoring: Monitoring,
    onMissing: OnMissingFile,
    quarantine: Option[String]
)

private[stoplog] object FollowOptions extends OptionList(OptionGroup.Files) {

  val OnChangedFile: Opt[Changed] = choice[Changed](
    "onChangedFile",
    "ignore" -> Changed.Ignore,
    "reread" -> Changed.Reread,
    "tail"   -> Changed.Tail
  )(
    "tail",
    "What to do with a file that has been read, and has another length or time now. `ignore`: nothing. " +
      "`reread`: read all of it again. `tail`: read what was added, as far as lines are complete (a file " +
      "with other bytes before the position is a new file); only for `text`, `json` and `csv` in UTF-8, " +
      "and not for compressed files. It is known exactly which files have been read: a new file may be as " +
      "old as it likes."
  )

  val IgnoreMissingFiles: Opt[OnMissingFile] = withDefault(
    "ignoreMissingFiles",
    OptionType.words[OnMissingFile]("true" -> OnMissingFile.Skip, "false" -> OnMissingFile.Fail),
    OnMissingFile.Fail,
    "true"
  )(
    "Whether to go on without a file that was deleted between the planning of its micro-batch and the " +
      "reading, or without what is left of one that is read in pieces and is another by then. A file that " +
      "exists and cannot be opened is an error."
  )

  val MonitorInterval: Opt[Long] = option("monitorInterval", OptionType.span, "30s")(
    "at each trigger",
    "How much time passes at least before the directories are listed again."
  )

  val WholeListingInterval: Opt[Long] = withDefault(
    "wholeListingInterval",
    OptionType.span,
    10 * 60 * 1000L,
    "1h"
  )(
    "On local disks and HDFS, with `onChangedFile` = `ignore`, a listing passes over directories whose own " +
      "times have not changed since the last. After so much time all are listed: only that tells which " +
      "files are gone. A short time, as `1ms`, has all of them listed each time. Other storages keep no " +
      "times of directories: there all always are."
  )

  val ForgetMissingAfter: Opt[Long] = withDefault(
    "forgetMissingAfter",
    OptionType.span,
    AbsenceLimits().forgetMillis,
    "7d"
  )(
    "The time for which listings must not find a file before the source forgets it. Then a file of this " +
      "name is new, and read again. Before, it is a file that has changed, or the same file: see " +
      "`onChangedFile`. A file is absent only if its directory is still the one in which the file was " +
      "read, and if the rules look for the file. Files that `cleanSource` has put away are forgotten at once."
  )

  val OnOtherDirectory: Opt[Other] = choice[Other](
    "onOtherDirectory",
    "wait"   -> Other.Wait,
    "accept" -> Other.Accept
  )(
    "accept",
    "What to do if a directory is not the one in which files were read, such as the empty mount point of a " +
      "disk that is away. The storage tells by inodes or file ids: local disks and HDFS. `wait`: none of " +
      "these files counts as removed, new files are read, and the log and the metric `awaitedDirectories` " +
      "say so. `accept`: the directory was replaced on purpose, or the storage numbers directories anew. " +
      "Then files are forgotten after `forgetMissingAfter`."
  )

  val WaitForDirectories: Opt[Long] = withDefault(
    "waitForDirectories",
    OptionType.span,
    AbsenceLimits().waitMillis,
    "1h"
  )(
    "The time after which a query fails that waits for `path`, or for one of `paths`, while no file at all " +
      "is there."
  )

  val CleanSource: Opt[String] = withDefault(
    "cleanSource",
    OptionType.named(Seq("off", "archive", "delete"))(identity),
    "off",
    "archive"
  )(
    "What becomes of a file once the micro-batch that read the end of it is committed, which the source " +
      "learns when Spark plans the next one. A file that has replaced it is a new file. A file that was " +
      "changed in place stays, and so does one that cannot be moved; with `delete` also one of which " +
      "`onCorrupt` = `quarantine` left out bytes that are in no note."
  )

  val SourceArchiveDir: Opt[String] = option(
    "sourceArchiveDir",
    OptionType.directory.as("directory on the same file system"),
    "/data/archive"
  )(
    "required with `cleanSource` = `archive`",
    "Where files go that are archived, under the paths that they have below `path`; with the file's time " +
      "in the name if the name is taken. Not where the source would read them: " +
      "below a path of it, unless hidden or fitting no pattern."
  )

  val OnMergedPart: Opt[Merged] =
    choice[Merged]("onMergedPart", "fail" -> Merged.Fail, "read" -> Merged.Read, "skip" -> Merged.Skip)(
      "read",
      "What a streaming query does with a file that a sink has [merged](../files/compaction.md) from " +
        "smaller ones, which it tells by its name: the rows may have been read from those. `fail`: it ends " +
        "with an error. `read`: for a directory in which nothing is merged any more, before the query " +
        "begins. `skip`: if all small files are read before they are merged. A batch query reads them all."
    )

  val OnCorruptFile: Opt[String] = withDefault(
    "onCorrupt",
    OptionType.named(Seq("fail", "quarantine"))(identity),
    "fail",
    "quarantine"
  )(
    "What to do with what cannot be decoded. `fail`: end the query, with the file, the position and the " +
      "cause. `quarantine`: leave it out and note it under `quarantinePath`: one record, or where the way " +
      "to the next one is lost, the rest of the piece that is read. Then `mode` of JSON and CSV is " +
      "`FAILFAST` unless it is set."
  )

  val QuarantinePath: Opt[String] = option("quarantinePath", OptionType.directory, "/data/quarantine")(
    "required with `onCorrupt` = `quarantine`",
    "Where the notes go, as lines of JSON, each once however often a file is read. One directory for each " +
      "query, and not where the source would read them, as for `sourceArchiveDir`."
  )

  def parse(reader: OptionReader): FollowOptions = {
    val monitoring = Monitoring(
      reader(OnChangedFile),
      reader(OnMergedPart),
      reader.get(MonitorInterval).getOrElse(0L),
      reader(WholeListingInterval),
      cleaning(reader),
      AbsenceLimits(reader(ForgetMissingAfter), reader(OnOtherDirectory), reader(WaitForDirectories))
    )
    val read = FollowOptions(monitoring, reader(IgnoreMissingFiles), quarantine(reader))
    if (monitoring.onChangedFile == Changed.Tail && monitoring.cleaning != Cleaning.Keep)
      reader.errors.add(
        "onChangedFile = 'tail' and cleanSource do not go together: a file that grows is never done with."
      )
    read
  }

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
      Cleaning.Archive(new HadoopPath(directory).toUri.getPath)
  }

  private def quarantine(reader: OptionReader): Option[String] = reader(OnCorruptFile) match {
    case "fail" =>
      reader.withoutEffect(Seq(QuarantinePath), "unless onCorrupt is set to quarantine")
      None
    case _ =>
      val directory = reader.text(QuarantinePath)
      if (directory.isEmpty)
        reader.errors.add("onCorrupt = 'quarantine' needs quarantinePath: set it to a directory.")
      directory
  }
}
