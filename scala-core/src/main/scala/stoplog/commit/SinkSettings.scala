// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.SinkState
import stoplog.part.SchemaId
import stoplog.rolling.{RollReason, RollingPolicy}

/** The log that a driver works on, and the query that it works for.
  *
  * @param path    the sink's path, for messages
  * @param queryId the Spark query, the same over restarts from one checkpoint
  */
private[stoplog] final case class SinkIdentity(path: String, sinkId: String, queryId: String)

/** The treatment of a log that another query owns, or that lacks epochs. */
private[stoplog] sealed trait ForeignQuery
private[stoplog] object ForeignQuery {

  /** Refuse, by name. */
  case object Refuse extends ForeignQuery

  /** Take the log over as it stands, if this query has passed the epochs that are in it. */
  case object Adopt extends ForeignQuery

  /** Take the log over as it stands, and write again what this query has not passed. For one start: [[OneStart]]. */
  case object AdoptAndRepeat extends ForeignQuery
}

/** The treatment of a part that is neither where it was written nor where it belongs. */
private[stoplog] sealed trait LostPart
private[stoplog] object LostPart {
  case object Fail extends LostPart
  case object Skip extends LostPart
}

/** The rules by which a driver decides.
  *
  * @param policy     closes parts
  * @param followUps  the work that is asked for beside the parts
  * @param onRestart  the treatment of parts that an earlier run has left open
  * @param compaction merges small parts
  */
private[stoplog] final case class DriverRules(
    policy: RollingPolicy,
    followUps: FollowUps,
    onForeign: ForeignQuery,
    onLost: LostPart,
    onRestart: Finish = Finish.KeepOpen,
    compaction: Compaction = Compaction.Off
)

/** The settings of a sink that its log keeps, so that a change between two runs is noticed.
  *
  * @param fixed   must not change: a change is refused by name (the zone of the buckets)
  * @param content what the bytes of a part look like: if it changes, open parts are closed and new ones begun
  * @param noted   for a later run to read; may change
  * @param schema  the columns of the rows, and whether they may differ from those of the run before
  * @param options what a user sets for a fixed setting that the log calls otherwise
  */
private[stoplog] final case class SinkSettings(
    fixed: Map[String, String],
    content: String,
    noted: Map[String, String] = Map.empty,
    schema: SinkSettings.RowSchema = SinkSettings.RowSchema.Unknown,
    options: Map[String, String] = Map.empty
) {
  def toMap: Map[String, String] = fixed ++ noted ++ columns + (SinkSettings.ContentKey -> content)

  /** With more for a later run to read. */
  def noting(more: Map[String, String]): SinkSettings = copy(noted = noted ++ more)

  private def columns: Map[String, String] =
    if (schema.text.isEmpty) Map.empty else Map(SinkState.SchemaKey -> schema.text)
}

private[stoplog] object SinkSettings {
  private[stoplog] val ContentKey = "content"

  /** Whether a log is that of a streaming sink of files, whose records always say what is in them. */
  private[stoplog] def isOfFiles(state: SinkState): Boolean =
    state.settings.get(ContentKey).exists(_.nonEmpty)

  /** The reason under which parts of the former content are closed. */
  private[commit] val ContentChanged = RollReason.Custom("contentChanged")

  /** The columns of a run's rows, as far as the protocol has to know them. */
  trait RowSchema {

    /** All columns as a text that the log keeps; empty if they are not known. */
    def text: String

    /** Throws if these columns must not come after the recorded ones. */
    def mayFollow(recorded: String): Unit

    final def id: Option[SchemaId] = Option.when(text.nonEmpty)(SchemaId.of(text))
  }

  object RowSchema {

    /** The schema of rows with unnamed columns: they may follow any. */
    case object Unknown extends RowSchema {
      override def text: String                      = ""
      override def mayFollow(recorded: String): Unit = ()
    }
  }
}

/** The treatment of parts that are open at the end of a run, or that a run finds at its start. */
private[stoplog] sealed trait Finish

private[stoplog] object Finish {

  /** The driver closes and publishes them. */
  case object PublishOpen extends Finish

  /** They stay open: the next run goes on with them. */
  case object KeepOpen extends Finish
}
