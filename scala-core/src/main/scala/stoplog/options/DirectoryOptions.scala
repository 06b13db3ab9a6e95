// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.commit.CompactionPolicy
import stoplog.format.LineFiles
import stoplog.options.CompactionOptions.{CompactMinFiles, CompactSmallerThan, CompactTo, Compactor}

/** How the batch command is to merge the files of a directory.
  *
  * @param format    of all files; none to go by their names
  * @param beginning what the first line of a CSV file is
  * @param compactor the user's own, by a class name or in the form of [[stoplog.util.UserObject.reference]]
  */
private[stoplog] final case class DirectoryOptions(
    path: String,
    format: Option[String],
    beginning: LineFiles.Beginning,
    policy: CompactionPolicy,
    compactor: Option[String]
)

private[stoplog] object DirectoryOptions {

  /** The command's own: it is not on the sink's page. */
  private val Header: Opt[LineFiles.Beginning] = OptionGroup.Compaction.withDefault(
    "header",
    OptionType
      .words[LineFiles.Beginning]("true" -> LineFiles.Beginning.Header, "false" -> LineFiles.Beginning.Row),
    LineFiles.Beginning.Row,
    "true"
  )(
    "Whether CSV files begin with the names of their columns."
  )

  private val known: Seq[Opt[_]] =
    Seq(OutputOptions.FormatName, CompactTo, CompactSmallerThan, CompactMinFiles, Compactor, Header)

  /** Reads `format`, `header`, `compactTo`, `compactSmallerThan`, `compactMinFiles` and `compactor`.
    *
    * Throws `STOPLOG_INVALID_OPTIONS` with all problems at once.
    */
  def parse(path: String, options: Map[String, String]): DirectoryOptions = {
    val asked = new OptionReader(options.toSeq, known)
    asked.others.map(_._1).sorted.foreach { key =>
      asked.errors.add(s"$key is no option of this command, which has ${known.map(_.key).mkString(", ")}.")
    }
    val target = asked.get(CompactTo).getOrElse(CompactionOptions.DefaultBytes)
    val read   = DirectoryOptions(
      path,
      asked.read(OutputOptions.FormatName)(OptionType.oneOf(formats.map(name => name -> name))),
      beginning(asked),
      CompactionPolicy(
        asked.get(CompactSmallerThan).getOrElse((target / 2).max(1)),
        target,
        afterEpochs = 1,
        asked(CompactMinFiles).toInt
      ),
      asked.reference(Compactor)
    )
    asked.refuseIdleParameters()
    asked.errors.throwIfAny()
    read
  }

  private def beginning(asked: OptionReader): LineFiles.Beginning =
    asked.textOrEmpty(Header).map(_.trim.toLowerCase).fold(LineFiles.Beginning.Row: LineFiles.Beginning) {
      word =>
        Header.values.parse(word).getOrElse {
          asked.errors.add(s"${Header.key} = '$word' is neither true nor false.")
          LineFiles.Beginning.Row
        }
    }

  private def formats = OutputOptions.FormatName.values.words
}
