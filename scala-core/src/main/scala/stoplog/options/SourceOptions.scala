// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import stoplog.format.read.{RowSource, SourceFormatName}
import stoplog.format.read.SourceFormatName.ReadSettings
import stoplog.source.ReadLimits
import stoplog.source.file.LineReader.Separator
import stoplog.source.file.Monitoring.OnChangedFile
import stoplog.util.UserObject

/** All options of one read, validated and with defaults, in the groups of their page.
  *
  * [[SourceOptionRegistry]] contains the meaning, default and an example of every option.
  */
private[stoplog] final case class SourceOptions(
    content: ContentOptions,
    files: FileOptions,
    follow: FollowOptions,
    limits: ReadLimits
)

private[stoplog] object SourceOptions {

  /** Parses the options of a read. Names are case-insensitive. Options of a sink are ignored, because they
    * may be a session's defaults.
    *
    * Throws `STOPLOG_INVALID_OPTIONS` with all problems. If the missing path is the only problem, throws
    * `STOPLOG_PATH_MISSING`.
    *
    * {{{
    * SourceOptions.parse(java.util.Map.of("path", "/data/events", "format", "text"))
    * }}}
    */
  def parse(options: JMap[String, String]): SourceOptions = {
    val reader      = new OptionReader(SparkOptions.spelled(options), SourceOptionRegistry.all)
    lazy val follow = FollowOptions.parse(reader) // lazy: its problems follow problems of path and format
    val content     = ContentOptions.parse(reader, (follow.quarantine ++ follow.leftOut).nonEmpty)
    val read        = SourceOptions(content, FileOptions.parse(reader), follow, LimitOptions.parse(reader))
    if (follow.monitoring.onChangedFile == OnChangedFile.Tail)
      whyNoTail(content.read).foreach(why => reader.errors.add(s"onChangedFile = 'tail' and $why"))
    reader.refuseIdleParameters()
    reader.errors.throwIfAny()
    read
  }

  /** Returns why changed files of this format cannot be tailed. Only formats of lines reveal the end of the
    * last whole record of a file.
    */
  private def whyNoTail(read: ReadSettings): Option[String] = {
    def because(what: String, why: String) =
      Some(s"$what exclude each other: $why. Set onChangedFile to ignore or reread.")
    read.format match {
      case SourceFormatName.Text | SourceFormatName.Json | SourceFormatName.Csv =>
        if (read.charset != UTF_8)
          because(
            s"charset = '${read.charset.name}'",
            "stoplog finds the end of the last complete line only in UTF-8"
          )
        else if (read.lineSep.forall(Separator.of(_, UTF_8).isSelfSynchronizing)) None
        else
          because("this lineSep", "the separator can overlap itself, so the last complete line is ambiguous")
      case SourceFormatName.Parquet | SourceFormatName.Orc =>
        because(s"format = '${read.format.word}'", "no data can follow the footer of a file")
      case _: SourceFormatName.MultiLine => because("multiLine = 'true'", RecordsUnknown)
      case other                         => because(s"format = '${other.word}'", RecordsUnknown)
    }
  }

  private final def RecordsUnknown = "only lines have a detectable end"

  /** Returns the user-defined source, if the option `source` is set. Error: `STOPLOG_USER_CODE`. */
  def userSource(options: JMap[String, String]): Option[RowSource] = {
    val key = ContentOptions.UserSource.key
    Option(SparkOptions.caseless(options).get(key)).map(UserObject.load(_, classOf[RowSource], key))
  }

  /** Parses only the limits, for a source outside of stoplog. Throws `STOPLOG_INVALID_OPTIONS`. */
  def limits(options: JMap[String, String]): ReadLimits = {
    val reader = new OptionReader(options.asScala.toSeq, SourceOptionRegistry.all)
    val read   = LimitOptions.parse(reader)
    reader.errors.throwIfAny()
    read
  }

  /** The limits of a micro-batch. */
  object LimitOptions extends OptionList(OptionGroup.Admission) {

    val MaxFilesPerTrigger: Opt[Long] = option("maxFilesPerTrigger", OptionType.wholeNumber, "1000")(
      "no limit",
      "A micro-batch reads at most this many files, or pieces of files."
    )

    val MaxBytesPerTrigger: Opt[Long] = option("maxBytesPerTrigger", OptionType.size, "1g")(
      "no limit",
      "A micro-batch reads at most this size of stored data. Several micro-batches read a larger file."
    )

    val MaxRowsPerTrigger: Opt[Long] = option("maxRowsPerTrigger", OptionType.wholeNumber, "1000000")(
      "no limit",
      "A micro-batch reads at most this many rows, but at least one row group, stripe or block of a file " +
        "with blocks. The driver also reads the lines to find their ends; for files with blocks, the " +
        "driver reads the positions of the blocks."
    )

    def parse(reader: OptionReader): ReadLimits = ReadLimits(
      splits = reader.get(MaxFilesPerTrigger),
      bytes = reader.get(MaxBytesPerTrigger),
      records = reader.get(MaxRowsPerTrigger)
    )
  }
}

/** Every option of the source, in the order of its page. The parser, `docs/reference/source-options.md` and
  * the Python package must match this list.
  */
private[stoplog] object SourceOptionRegistry {

  val all: Seq[Opt[_]] =
    Seq(ContentOptions.all, FileOptions.all, FollowOptions.all, SourceOptions.LimitOptions.all).flatten
}
