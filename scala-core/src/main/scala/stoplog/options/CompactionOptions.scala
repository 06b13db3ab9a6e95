// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.commit.CompactionPolicy
import stoplog.format.LineFiles
import stoplog.options.CompactionOptions.{CompactMinFiles, CompactSmallerThan, CompactTo, Compactor}
import stoplog.rolling.{DefaultRollingPolicy, OnCheckpointRollingPolicy, RollingPolicy}

/** The compaction of small finished parts.
  *
  * @param compactor the user-defined [[stoplog.compact.Compactor]], as a class name or in the form of
  *                  [[stoplog.util.UserObject.reference]]; `None` for the compactor of the format
  */
private[stoplog] final case class CompactionOptions(policy: CompactionPolicy, compactor: Option[String])

private[stoplog] object CompactionOptions extends OptionList(OptionGroup.Compaction) {

  val Compaction: Opt[Boolean] = choice[Boolean]("compaction", "none" -> false, "smallParts" -> true)(
    "smallParts",
    "`smallParts` compacts small finished parts of a bucket between epochs, each time by a record of the " +
      "log: see [Compaction](../files/compaction.md). `none` keeps every part as published."
  )

  val CompactSmallerThan: Opt[Long] = option("compactSmallerThan", OptionType.size, "32m")(
    "a quarter of `compactTo`",
    "A finished part below this size is compacted with other parts; at most half of `compactTo`."
  )

  val CompactTo: Opt[Long] = option("compactTo", OptionType.size, "256m")(
    "`maxPartSize`, or `128m`",
    "The maximum size of a compacted part. Small parts that reach this size in total are compacted at once."
  )

  val CompactAfterEpochs: Opt[Long] =
    withDefault("compactAfterEpochs", OptionType.wholeNumber, 100L, "600")(
      "The small parts of a bucket are compacted after the oldest small part has waited for this number of " +
        "epochs. A compacted part that is still small waits eight times longer after each compaction."
    )

  val CompactMinFiles: Opt[Long] = withDefault(
    "compactMinFiles",
    OptionType.wholeNumber.refusing(
      n => n >= 2 && n <= CompactionPolicy.MostFiles,
      s"is not from 2 to ${CompactionPolicy.MostFiles}"
    ),
    2L,
    "8"
  )(
    "Fewer parts than this number are never compacted because of their age."
  )

  val Compactor: Opt[String] = option("compactor", OptionType.userClass, "com.example.Appended")(
    "the compactor of the format; required for a custom `encoder` or `bulkWriter`",
    "The method of compaction: the name of a class that extends `stoplog.compact.Compactor` and has a " +
      "public constructor without arguments, or of a Scala object."
  )

  private val others: Seq[Opt[_]] =
    Seq(CompactSmallerThan, CompactTo, CompactAfterEpochs, CompactMinFiles, Compactor)

  /** The problem of a format that has no method to compact its files. */
  val NoCompactor: String =
    "compaction needs a compactor with an own encoder or bulkWriter: set compactor to a class."

  /** Returns `None` if compaction is disabled. */
  def parse(
      reader: OptionReader,
      format: Option[FormatChoice],
      rolling: RollingPolicy
  ): Option[CompactionOptions] =
    if (reader(Compaction)) {
      val read = CompactionOptions(policy(reader, rolling), reader.reference(Compactor))
      if (read.policy.smallerThanBytes > read.policy.targetBytes / 2)
        reader.errors.add(
          "compactSmallerThan is more than half of compactTo: two parts of that size would be too many."
        )
      if (read.compactor.isEmpty && format.exists(isOwn)) reader.errors.add(NoCompactor)
      Some(read)
    } else {
      reader.withoutEffect(others, "unless compaction is set to smallParts")
      None
    }

  private def policy(reader: OptionReader, rolling: RollingPolicy): CompactionPolicy = {
    val target  = reader.get(CompactTo).getOrElse(partSize(rolling))
    val smaller = reader.get(CompactSmallerThan).getOrElse((target / 4).max(1))
    CompactionPolicy(smaller, target, reader(CompactAfterEpochs), reader(CompactMinFiles).toInt)
  }

  private def isOwn(format: FormatChoice): Boolean = format match {
    case FormatChoice.UserEncoder(_) | FormatChoice.UserBulk(_) => true
    case _                                                      => false
  }

  private def partSize(rolling: RollingPolicy): Long = rolling match {
    case policy: DefaultRollingPolicy      => policy.maxPartSizeBytes
    case policy: OnCheckpointRollingPolicy => policy.maxPartSizeBytes.getOrElse(DefaultBytes)
    case _                                 => DefaultBytes
  }

  private[options] val DefaultBytes = 128L << 20
}

/** The compaction of a directory's files by the batch command.
  *
  * @param format    the format of all files; `None` to derive the format from file names
  * @param beginning the kind of the first line of a CSV file
  * @param lineSep   the line separator of `text`, `json` and `csv`
  * @param compactor the user-defined compactor: a class name or the form of
  *                  [[stoplog.util.UserObject.reference]]
  * @param announce  the targets of announcements
  */
private[stoplog] final case class DirectoryOptions(
    path: String,
    format: Option[String],
    beginning: LineFiles.Beginning,
    lineSep: String,
    policy: CompactionPolicy,
    compactor: Option[String],
    announce: AnnounceOptions
)

private[stoplog] object DirectoryOptions {

  /** An option of only this command: the sink's page does not list it. */
  private val Header: Opt[LineFiles.Beginning] = OptionGroup.Compaction.withDefault(
    "header",
    OptionType
      .words[LineFiles.Beginning]("true" -> LineFiles.Beginning.Header, "false" -> LineFiles.Beginning.Row),
    LineFiles.Beginning.Row,
    "true"
  )(
    "Whether CSV files start with the names of their columns."
  )

  private val known: Seq[Opt[_]] =
    Seq(
      OutputOptions.FormatName,
      CompactTo,
      CompactSmallerThan,
      CompactMinFiles,
      Compactor,
      Header,
      OutputOptions.LineSep
    ) ++ AnnounceOptions.all

  /** Reads `format`, `header`, `lineSep`, `compactTo`, `compactSmallerThan`, `compactMinFiles`, `compactor`,
    * and the options of announcements.
    *
    * Throws `STOPLOG_INVALID_OPTIONS` with all problems.
    */
  def parse(path: String, options: Map[String, String]): DirectoryOptions = {
    val reader = new OptionReader(options.toSeq, known)
    reader.others.map(_._1).sorted.foreach { key =>
      reader.errors.add(s"$key is no option of this command, which has ${known.map(_.key).mkString(", ")}.")
    }
    val target = reader.get(CompactTo).getOrElse(CompactionOptions.DefaultBytes)
    val read   = DirectoryOptions(
      path,
      reader.read(OutputOptions.FormatName)(OptionType.oneOf(formats.map(name => name -> name))),
      beginning(reader),
      reader.textOrEmpty(OutputOptions.LineSep).filter(_.nonEmpty).getOrElse(LineFiles.LineFeed),
      CompactionPolicy(
        reader.get(CompactSmallerThan).getOrElse((target / 2).max(1)),
        target,
        afterEpochs = 1,
        reader(CompactMinFiles).toInt
      ),
      reader.reference(Compactor),
      AnnounceOptions.parse(reader)
    )
    reader.refuseIdleParameters()
    reader.errors.throwIfAny()
    read
  }

  private def beginning(reader: OptionReader): LineFiles.Beginning =
    reader.textOrEmpty(Header).map(_.trim.toLowerCase).fold(LineFiles.Beginning.Row: LineFiles.Beginning) {
      word =>
        Header.values.parse(word).getOrElse {
          reader.errors.add(s"${Header.key} = '$word' is neither true nor false.")
          LineFiles.Beginning.Row
        }
    }

  private def formats = OutputOptions.FormatName.values.words
}
