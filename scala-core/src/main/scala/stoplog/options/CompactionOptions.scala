// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.commit.CompactionPolicy
import stoplog.format.LineFiles
import stoplog.options.CompactionOptions.Compactor
import stoplog.rolling.{DefaultRollingPolicy, OnCheckpointRollingPolicy, RollingPolicy}

/** The compaction of small finished parts.
  *
  * @param compactor the user-defined [[stoplog.compact.Compactor]], as a class name or in the form of
  *                  [[stoplog.util.UserObject.reference]]; `None` for the compactor of the format
  */
private[stoplog] final case class CompactionOptions(policy: CompactionPolicy, compactor: Option[String])

private[stoplog] object CompactionOptions extends OptionList(OptionGroup.Compaction) {

  val Compaction: Opt[CompactionSize] =
    withDefault("compaction", CompactionSize.values, CompactionSize.Never, "smallParts")(
      "`smallParts` compacts small finished parts of a bucket between epochs, each time by a record of the " +
        "log: see [Compaction](../files/compaction.md). A compacted part has at most `maxPartSize`, or 128 MiB. " +
        "A size, such as `256m`: the same with this size. Parts below a quarter of this size are small. Small " +
        "parts that reach this size in total are compacted at once. `none` keeps every part as published."
    )

  val CompactAfterEpochs: Opt[Long] =
    withDefault("compactAfterEpochs", OptionType.wholeNumber, 100L, "600")(
      "The small parts of a bucket are compacted after the oldest small part has waited for this number of " +
        "epochs. A compacted part that is still small waits eight times longer after each compaction."
    )

  val Compactor: Opt[String] = option("compactor", OptionType.userClass, "com.example.Appended")(
    "the compactor of the format; required for a custom `format`",
    "The method of compaction: the name of a class that extends `stoplog.compact.Compactor` and has a " +
      "public constructor without arguments, or of a Scala object."
  )

  private val others: Seq[Opt[_]] =
    Seq(CompactAfterEpochs, Compactor)

  /** The problem of a format that has no method to compact its files. */
  val NoCompactor: String =
    "compaction of a custom format needs a compactor: set compactor to a class."

  /** Returns `None` if compaction is disabled. */
  def parse(
      reader: OptionReader,
      format: Option[FormatChoice],
      rolling: RollingPolicy
  ): Option[CompactionOptions] =
    reader(Compaction) match {
      case CompactionSize.Never =>
        reader.withoutEffect(others, "unless compaction is set")
        None
      case size =>
        val target = size match {
          case CompactionSize.Bytes(bytes) => bytes
          case _                           => partSize(rolling)
        }
        val read = CompactionOptions(policy(reader, target), reader.reference(Compactor))
        if (read.compactor.isEmpty && format.exists(isOwn)) reader.errors.add(NoCompactor)
        Some(read)
    }

  private def policy(reader: OptionReader, target: Long): CompactionPolicy =
    CompactionPolicy((target / 4).max(1), target, reader(CompactAfterEpochs), minFiles = 2)

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

/** Whether small parts are compacted, and the maximum size of a compacted part. */
private[stoplog] sealed trait CompactionSize extends Product with Serializable

private[stoplog] object CompactionSize {
  case object Never extends CompactionSize

  /** The size at which the rolling policy closes parts. */
  case object OfParts extends CompactionSize

  final case class Bytes(bytes: Long) extends CompactionSize

  private[options] val values: OptionType[CompactionSize] = {
    val words = OptionType.words[CompactionSize]("none" -> Never, "smallParts" -> OfParts)
    OptionType[CompactionSize](
      "`none`, `smallParts` or a size",
      text =>
        words.parse(text).orElse(OptionType.size.parse(text).map(Bytes(_))).left.map { _ =>
          "is neither none nor smallParts, nor a size such as 256m"
        },
      {
        case Bytes(bytes) => OptionType.ByteSize.render(bytes)
        case word         => words.render(word)
      }
    )
  }
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

  // The sink's page does not list the options of only this command.
  private val Header: Opt[LineFiles.Beginning] = OptionGroup.Compaction.withDefault(
    "header",
    OptionType
      .words[LineFiles.Beginning]("true" -> LineFiles.Beginning.Header, "false" -> LineFiles.Beginning.Row),
    LineFiles.Beginning.Row,
    "true"
  )(
    "Whether CSV files start with the names of their columns."
  )

  private val CompactTo: Opt[Long] = OptionGroup.Compaction.option("compactTo", OptionType.size, "256m")(
    "`128m`",
    "The maximum size of a compacted file."
  )

  private val CompactSmallerThan: Opt[Long] =
    OptionGroup.Compaction.option("compactSmallerThan", OptionType.size, "32m")(
      "half of `compactTo`",
      "Files below this size are compacted with other files."
    )

  private val CompactMinFiles: Opt[Long] = OptionGroup.Compaction.withDefault(
    "compactMinFiles",
    OptionType.wholeNumber.refusing(
      n => n >= 2 && n <= CompactionPolicy.MostFiles,
      s"is not from 2 to ${CompactionPolicy.MostFiles}"
    ),
    2L,
    "8"
  )(
    "Fewer files than this number are never compacted."
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
      val options = known.map(_.key).mkString(", ")
      reader.errors.add(s"$key is not an option of this command. The options are $options.")
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
