// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.commit.{Finish, ForeignQuery, LostPart, OnBadRow, Replacements}
import stoplog.storage.{Durability, SinkDirectory, Truncation}

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

  /** Continues if a reader of the old columns can also read the new rows. */
  case object Additive extends OnSchemaChange("additive")

  /** Continues. Parts that cannot hold both schemas are closed with their old columns. */
  case object Roll extends OnSchemaChange("roll")

  val all: Seq[OnSchemaChange] = Seq(Fail, Additive, Roll)
}

private[stoplog] object RecoveryOptions extends OptionList(OptionGroup.Recovery) {

  val SinkId: Opt[String] = withDefault(
    "sinkId",
    OptionType.checked("1 to 64 of `A-Z a-z 0-9 . _ -`, a letter or digit first")(sinkIdOf),
    "main",
    "clicks"
  )(
    "The name of the commit log in the path. Two queries that write to one directory need two names."
  )

  val OnForeignQuery: Opt[ForeignQuery] = choice[ForeignQuery](
    "onForeignQuery",
    "fail"           -> ForeignQuery.Refuse,
    "adopt"          -> ForeignQuery.Adopt,
    "adoptAndRepeat" -> ForeignQuery.AdoptAndRepeat
  )(
    "adopt",
    "What to do when the log belongs to another query (another checkpoint): refuse to start, or take it " +
      "over. `adopt` takes it over only if this query has passed the epochs in it, so that no row is " +
      "written again. `adoptAndRepeat` also takes over a log that is ahead of the checkpoint, and writes " +
      "those rows again. It is valid for one start: the log notes its use, and every later start with it " +
      "counts as `fail` until one without it has claimed the log."
  )

  val OnRestart: Opt[Finish] =
    choice[Finish]("onRestart", "continue" -> Finish.KeepOpen, "finish" -> Finish.PublishOpen)(
      "finish",
      "What a start of the query does with the parts that an earlier one has left open. `continue`: it " +
        "goes on in them. `finish`: it cuts each to its committed length and publishes it by a record of " +
        "the log, before its first epoch or, without data, after `bucketCheckInterval`; new rows go into " +
        "new parts. As the BucketingSink did."
    )

  val FinalizeOnTermination: Opt[FinalizeOnTermination] = withDefault(
    "finalizeOnTermination",
    OptionType.named(stoplog.options.FinalizeOnTermination.all)(_.word),
    stoplog.options.FinalizeOnTermination.Auto,
    "always"
  )(
    "Whether open parts are finished when the query ends. `auto`: with the triggers availableNow and once, " +
      "and at the end of a batch write; a part that is left open is continued by the next start."
  )

  val OnLostPart: Opt[LostPart] =
    choice[LostPart]("onLostPart", "fail" -> LostPart.Fail, "skip" -> LostPart.Skip)(
      "skip",
      "What to do when another program deleted a part that was written but not yet finished: stop, or go " +
        "on without its rows."
    )

  val OnSchemaChange: Opt[OnSchemaChange] = withDefault(
    "onSchemaChange",
    OptionType.named(stoplog.options.OnSchemaChange.all)(_.word),
    stoplog.options.OnSchemaChange.Roll,
    "additive"
  )(
    "What to do when a streaming query starts with other columns than before; their order does not matter. " +
      "`roll`: go on; where a file cannot hold both, open parts end with the columns that they have. " +
      "`additive`: go on if columns were only added, or may be null now. `fail`: go on with the same " +
      "columns only."
  )

  val Durability: Opt[Durability] = choice[Durability](
    "durability",
    "disk"    -> stoplog.storage.Durability.Disk,
    "process" -> stoplog.storage.Durability.Process
  )(
    "process",
    "What a committed epoch survives. `disk`: a power loss (an fsync per open part and epoch). `process`: " +
      "the death of any process, but not of the machine; faster, unless a sink has thousands of open parts."
  )

  val OnBadRow: Opt[OnBadRow] = choice[OnBadRow](
    "onBadRow",
    "fail"   -> stoplog.commit.OnBadRow.Fail,
    "reject" -> stoplog.commit.OnBadRow.Reject
  )(
    "reject",
    "What to do with a row that cannot be written: stop, or put it aside as a line of JSON under " +
      "`rejectPath`, published with the other rows of its epoch."
  )

  val RejectPath: Opt[String] = withDefault(
    "rejectPath",
    OptionType.checked("directory under `path`, `_` or `.` first")(rejectPathOf),
    "_rejected",
    "_bad"
  )(
    "Where rejected rows are, each below it in the directory of its bucket. Only with `onBadRow` = `reject`."
  )

  val UseTruncate: Opt[Boolean] = withDefault("useTruncate", OptionType.truth, true, "false")(
    "On HDFS and other Hadoop file systems, what becomes of bytes that a failed attempt wrote behind the " +
      "committed ones of a part. `true`: they are cut off, and readers need not care. `false`: they stay, " +
      "and a file beside the part says how many bytes count, as the BucketingSink did: every reader has to " +
      "heed it. Local disks always cut."
  )

  val ValidLengthPrefix: Opt[String] =
    withDefault("validLengthPrefix", PartOptions.hidden, Truncation.DefaultPrefix, ".")(
      ofLength("What the name of such a file begins with, before the name of its part: `.` or `_` first.")
    )

  val ValidLengthSuffix: Opt[String] =
    withDefault("validLengthSuffix", PartOptions.piece, Truncation.DefaultSuffix, ".length")(
      ofLength("What the name of such a file ends with.")
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
    if (onBadRow == stoplog.commit.OnBadRow.Fail)
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
