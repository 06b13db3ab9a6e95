// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.commit.{Finish, ForeignQuery, LostPart, Replacements, SinkIdentity}
import stoplog.storage.{Durability, Truncation}
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
    "The reaction if a streaming query starts with other columns than before. The order of the columns " +
      "does not matter. `additive`: new columns are added, and missing columns are null; another type is " +
      "rejected. `roll`: new files have only the new columns, of any type, and Spark may fail to read all " +
      "files as one table; the log has a warning. `fail`: any change is rejected."
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
      "line of JSON below `_rejected` in the path, in the directory of its bucket, published with the other " +
      "rows of the epoch."
  )

  def parse(reader: OptionReader): RecoveryOptions = RecoveryOptions(
    reader(SinkId),
    reader(OnForeignQuery),
    reader(OnRestart),
    reader(FinalizeOnTermination),
    reader(OnLostPart),
    reader(OnSchemaChange),
    StorageOptions(reader(Durability), BucketingSinkOptions.truncation(reader))
  )

  /** Parses the handling of bad rows. Their directory is below `path`: one record publishes all rows. */
  def rejects(reader: OptionReader): RejectOptions = RejectOptions(reader(OnBadRow), RejectDirectory)

  private final def RejectDirectory = "_rejected"

  /** Accepts names that are safe as directory names on every store. */
  private def sinkIdOf(text: String): Either[String, String] =
    if (text == Replacements.SinkId) Left("is the name of the log of the jobs that replace files")
    else
      Either.cond(
        text.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,63}"),
        text,
        "must be 1 to 64 letters A-Z a-z, digits, '.', '_' or '-', and begin with a letter or a digit"
      )

  /** The durability of a committed epoch, and the handling of uncommitted bytes at the end of a part. */
  final case class StorageOptions(durability: Durability, truncation: Truncation)

  /** The handling of rows that cannot be written.
    *
    * @param path the directory of rejected rows, below the sink's path
    */
  final case class RejectOptions(onBadRow: OnBadRow, path: String)
}
