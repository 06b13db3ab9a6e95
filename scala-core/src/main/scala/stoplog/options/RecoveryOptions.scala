// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.commit.{Finish, ForeignQuery, LostPart, Replacements, SinkIdentity}
import stoplog.storage.{Durability, SinkDirectory, Truncation}
import stoplog.writing.OnBadRow

/** The owner of the log, and a sink's behaviour at a start, at the end, and after unexpected changes.
  *
  * @param sinkId    the name of the commit log, also used as a directory name
  * @param onRestart the handling of parts left open by an earlier run
  */
private[stoplog] final case class RecoveryOptions(
    sinkId: String,
    onForeignQuery: ForeignQuery,
    onRestart: Finish,
    finalizeOnTermination: FinalizeOnTermination,
    onLostPart: LostPart,
    onSchemaChange: OnSchemaChange,
    storage: RecoveryOptions.StorageOptions
)

/** Whether open parts are finished when a query ends without a failure. */
private[stoplog] sealed abstract class FinalizeOnTermination(val word: String)
    extends Product
    with Serializable

private[stoplog] object FinalizeOnTermination {

  /** With the triggers availableNow and once, whose queries end by themselves. */
  case object Auto extends FinalizeOnTermination("auto")

  case object Always extends FinalizeOnTermination("always")

  /** Open parts are kept for the next start. */
  case object Never extends FinalizeOnTermination("never")

  val all: Seq[FinalizeOnTermination] = Seq(Auto, Always, Never)
}

/** The handling of rows whose columns differ from the columns of the preceding run. */
private[stoplog] sealed abstract class OnSchemaChange(val word: String) extends Product with Serializable

private[stoplog] object OnSchemaChange {

  /** Rejects the start. */
  case object Fail extends OnSchemaChange("fail")

  /** Continues if no column has another type. Files have the columns of both runs. */
  case object Additive extends OnSchemaChange("additive")

  /** Continues, with a warning. New files have only the new columns, of any type. */
  case object Roll extends OnSchemaChange("roll")

  val all: Seq[OnSchemaChange] = Seq(Fail, Additive, Roll)
}

private[stoplog] object RecoveryOptions extends OptionList(OptionGroup.Recovery) {

  val SinkId: Opt[String] = withDefault(
    "sinkId",
    OptionType.checked("1 to 64 of `A-Z a-z 0-9 . _ -`, a letter or digit first")(sinkIdOf),
    SinkIdentity.DefaultSinkId,
    "clicks"
  )(
    "The name of the commit log in the path. Two queries with the same directory need two names."
  )

  val OnForeignQuery: Opt[ForeignQuery] = choice[ForeignQuery](
    "onForeignQuery",
    "fail"           -> ForeignQuery.Refuse,
    "adopt"          -> ForeignQuery.Adopt,
    "adoptAndRepeat" -> ForeignQuery.AdoptAndRepeat
  )(
    "adopt",
    "The reaction to a log of another query, that is, of another checkpoint. `fail` rejects the start. " +
      "`adopt` takes over the log only if this query has passed all epochs of the log, so that no row is " +
      "written again. `adoptAndRepeat` also takes over a log that is ahead of the checkpoint, and writes " +
      "those rows again. `adoptAndRepeat` is valid for one start: the log records the use, and every later " +
      "start with this value counts as `fail` until a start without it has claimed the log."
  )

  val OnRestart: Opt[Finish] =
    choice[Finish]("onRestart", "continue" -> Finish.KeepOpen, "finish" -> Finish.PublishOpen)(
      "finish",
      "The handling of parts that an earlier start has left open. `continue` resumes these parts. `finish` " +
        "cuts each part to the committed length and publishes the part by a record of the log, before the " +
        "first epoch or, without data, after `bucketCheckInterval`; new rows go to new parts, as with the " +
        "BucketingSink."
    )

  val FinalizeOnTermination: Opt[FinalizeOnTermination] = withDefault(
    "finalizeOnTermination",
    OptionType.named(stoplog.options.FinalizeOnTermination.all)(_.word),
    stoplog.options.FinalizeOnTermination.Auto,
    "always"
  )(
    "Whether open parts are finished at the end of the query. `auto`: with the triggers availableNow and " +
      "once, and at the end of a batch write; otherwise the next start resumes open parts."
  )

  val OnLostPart: Opt[LostPart] =
    choice[LostPart]("onLostPart", "fail" -> LostPart.Fail, "skip" -> LostPart.Skip)(
      "skip",
      "The reaction if another program has deleted a written but unfinished part: `fail` stops the query, " +
        "`skip` continues without the rows of the part."
    )

  val OnSchemaChange: Opt[OnSchemaChange] = withDefault(
    "onSchemaChange",
    OptionType.named(stoplog.options.OnSchemaChange.all)(_.word),
    stoplog.options.OnSchemaChange.Additive,
    "fail"
  )(
    "What to do when a streaming query starts with other columns than before. The order of the columns does " +
      "not matter. `additive`: new columns are added, and missing columns are null; another type is refused. " +
      "`roll`: new files have only the new columns, of any type, and Spark may fail to read all files as one " +
      "table; the log has a warning. `fail`: any change is refused."
  )

  val Durability: Opt[Durability] = choice[Durability](
    "durability",
    "disk"    -> stoplog.storage.Durability.Disk,
    "process" -> stoplog.storage.Durability.Process
  )(
    "process",
    "The failures that a committed epoch survives. `disk`: a power loss, with an fsync per open part and " +
      "epoch. `process`: the death of any process, but not of the machine; faster, unless a sink has " +
      "thousands of open parts."
  )

  val OnBadRow: Opt[OnBadRow] = choice[OnBadRow](
    "onBadRow",
    "fail"   -> stoplog.writing.OnBadRow.Fail,
    "reject" -> stoplog.writing.OnBadRow.Reject
  )(
    "reject",
    "The reaction to a row that cannot be written. `fail` stops the query. `reject` writes the row as a " +
      "line of JSON below `rejectPath`, published with the other rows of the epoch."
  )

  val RejectPath: Opt[String] = withDefault(
    "rejectPath",
    OptionType.checked("directory under `path`, `_` or `.` first")(rejectPathOf),
    "_rejected",
    "_bad"
  )(
    "The directory of rejected rows, with a subdirectory for each bucket. Only with `onBadRow` = `reject`."
  )

  val UseTruncate: Opt[Boolean] = withDefault("useTruncate", OptionType.truth, true, "false")(
    "The handling of bytes of a failed attempt after the committed bytes of a part, on HDFS and other " +
      "Hadoop file systems. `true`: the bytes are truncated, and readers need no special care. `false`: " +
      "the bytes remain, and a file next to the part contains the valid length, as with the BucketingSink: " +
      "every reader must obey this length. Local disks always truncate."
  )

  val ValidLengthPrefix: Opt[String] =
    withDefault("validLengthPrefix", PartOptions.hidden, Truncation.DefaultPrefix, ".")(
      ofLength("The prefix of the valid-length file, before the name of the part: `.` or `_` first.")
    )

  val ValidLengthSuffix: Opt[String] =
    withDefault("validLengthSuffix", PartOptions.piece, Truncation.DefaultSuffix, ".length")(
      ofLength("The suffix of the valid-length file.")
    )

  def parse(reader: OptionReader): RecoveryOptions = RecoveryOptions(
    reader(SinkId),
    reader(OnForeignQuery),
    reader(OnRestart),
    reader(FinalizeOnTermination),
    reader(OnLostPart),
    reader(OnSchemaChange),
    StorageOptions(reader(Durability), truncation(reader))
  )

  /** Parses the handling of bad rows. `rejectPath` is below `path`, so that one record publishes all rows. */
  def rejects(reader: OptionReader): RejectOptions = {
    val onBadRow = reader(OnBadRow)
    if (onBadRow == stoplog.writing.OnBadRow.Fail)
      reader.withoutEffect(Seq(RejectPath), "unless onBadRow is set to reject")
    RejectOptions(onBadRow, reader(RejectPath))
  }

  private def truncation(reader: OptionReader): Truncation =
    if (reader(UseTruncate)) {
      reader.withoutEffect(Seq(ValidLengthPrefix, ValidLengthSuffix), "unless useTruncate is set to false")
      Truncation.Allowed
    } else Truncation.ValidLength(reader(ValidLengthPrefix), reader(ValidLengthSuffix))

  private def ofLength(meaning: String): String = s"$meaning Only with `useTruncate` = `false`."

  /** Accepts names that are safe as directory names on every store. */
  private def sinkIdOf(text: String): Either[String, String] =
    if (text == Replacements.SinkId) Left("is the name of the log of the jobs that replace files")
    else
      Either.cond(
        text.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,63}"),
        text,
        "must be 1 to 64 letters A-Z a-z, digits, '.', '_' or '-', and begin with a letter or a digit"
      )

  private def rejectPathOf(text: String): Either[String, String] = {
    val names = text.split("/", -1).toSeq
    if (text.startsWith("/") || text.contains(":"))
      Left("must be a directory under path, such as _rejected: one commit cannot publish in two places")
    else if (names.exists(name => name.isEmpty || name == "." || name == ".." || name.exists(_.isControl)))
      Left("must be names with '/' between them, none of them empty, '.' or '..'")
    else if (!text.startsWith("_") && !text.startsWith(".") || names.head.contains("="))
      Left("must begin with '_' or '.' and have no '=' in its first name, or readers would take it for data")
    else if (names.head.equalsIgnoreCase(SinkDirectory.Root)) Left("is where the log is")
    else Right(text)
  }

  /** The durability of a committed epoch, and the handling of uncommitted bytes at the end of a part. */
  final case class StorageOptions(durability: Durability, truncation: Truncation)

  /** The handling of rows that cannot be written.
    *
    * @param path the directory of rejected rows, below the sink's path
    */
  final case class RejectOptions(onBadRow: OnBadRow, path: String)
}
