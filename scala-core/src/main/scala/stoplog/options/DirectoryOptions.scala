// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.commit.CompactionPolicy
import stoplog.format.LineFiles
import stoplog.options.{SinkOptionRegistry => Registry}

/** How the batch command is to merge the files of a directory.
  *
  * @param format    of all files; none to go by their names
  * @param beginning what the first line of a CSV file is
  * @param compactor the user's own, by a class name or in the form of [[UserObject.reference]]
  */
final case class DirectoryOptions(
    path: String,
    format: Option[String],
    beginning: LineFiles.Beginning,
    policy: CompactionPolicy,
    compactor: Option[String]
)

object DirectoryOptions {

  /** The log of the batch command. */
  val SinkId: String = "compact"

  /** Reads `format`, `header`, `compactTo`, `compactSmallerThan`, `compactMinFiles` and `compactor`.
    *
    * Throws `STOPLOG_INVALID_OPTIONS` with all problems at once.
    */
  def parse(path: String, options: Map[String, String]): DirectoryOptions = {
    val problems = new Problems
    val asked    = new AskedOptions(options.toSeq, problems, ownClasses = Seq(Registry.Compactor))
    val known    =
      Seq(Registry.FormatName, Registry.CompactTo, Registry.CompactSmallerThan, Registry.CompactMinFiles)
    val names                = (known :+ Registry.Compactor).map(_.key) :+ Header
    def isKnown(key: String) =
      names
        .exists(_.equalsIgnoreCase(key)) || AskedOptions.parameterOf(key, Seq(Registry.Compactor)).isDefined
    options.keys.filterNot(isKnown).toSeq.sorted.foreach { key =>
      problems.add(s"$key is no option of this command, which has ${names.mkString(", ")}.")
    }
    val target = asked.optional(Registry.CompactTo)(ByteSize.parse).getOrElse(CompactionOptions.DefaultBytes)
    val read   = DirectoryOptions(
      path,
      asked.optional(Registry.FormatName)(AskedOptions.oneOf(Formats.map(name => name -> name))),
      beginning(options, problems),
      CompactionPolicy(
        asked.optional(Registry.CompactSmallerThan)(ByteSize.parse).getOrElse((target / 2).max(1)),
        target,
        afterEpochs = 1,
        asked.value(Registry.CompactMinFiles)(CompactionOptions.two)
      ),
      asked.reference(Registry.Compactor)
    )
    asked.refuseIdleParameters()
    problems.throwIfAny()
    read
  }

  private def beginning(options: Map[String, String], problems: Problems): LineFiles.Beginning =
    options.collectFirst {
      case (key, value) if key.equalsIgnoreCase(Header) => value.trim.toLowerCase
    } match {
      case Some("true")         => LineFiles.Beginning.Header
      case Some("false") | None => LineFiles.Beginning.Row
      case Some(other)          =>
        problems.add(s"$Header = '$other' is neither true nor false.")
        LineFiles.Beginning.Row
    }

  private val Header  = "header"
  private val Formats = Seq("text", "json", "csv", "parquet", "orc", "avro", "sequencefile")
}
