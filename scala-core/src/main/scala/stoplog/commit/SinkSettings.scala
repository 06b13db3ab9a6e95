// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.SinkState
import stoplog.part.SchemaId
import stoplog.rolling.{RollReason, RollingPolicy}

/** A driver's log and query.
  *
  * @param path    the sink's path, for messages
  * @param queryId the Spark query, constant over restarts from one checkpoint
  */
private[stoplog] final case class SinkIdentity(path: String, sinkId: String, queryId: String)

private[stoplog] object SinkIdentity {

  /** The id of the only sink under a path, if the user names none. */
  val DefaultSinkId: String = "main"
}

/** The handling of a log that another query owns, or that lacks epochs. */
private[stoplog] sealed trait ForeignQuery
private[stoplog] object ForeignQuery {

  /** Rejects the log. */
  case object Refuse extends ForeignQuery

  /** Takes over the log if this query has passed all epochs of the log. */
  case object Adopt extends ForeignQuery

  /** Takes over the log, and repeats epochs that this query has not passed. For one start: [[OneStart]]. */
  case object AdoptAndRepeat extends ForeignQuery
}

/** The handling of a part that is missing both in its staged and in its finished place. */
private[stoplog] sealed trait LostPart
private[stoplog] object LostPart {
  case object Fail extends LostPart
  case object Skip extends LostPart
}

/** The rules by which a driver decides.
  *
  * @param policy     closes parts
  * @param followUps  the configured work after parts are visible
  * @param onRestart  the handling of parts left open by an earlier run
  * @param compaction compacts small parts
  */
private[stoplog] final case class DriverRules(
    policy: RollingPolicy,
    followUps: FollowUps,
    onForeign: ForeignQuery,
    onLost: LostPart,
    onRestart: Finish = Finish.KeepOpen,
    compaction: Compaction = Compaction.Off
)

/** The settings of a sink in its log, used to detect changes between two runs.
  *
  * @param fixed   must not change, such as the zone of the buckets: an error names the changed setting
  * @param content describes the bytes of a part: if the content changes, open parts are closed and new parts
  *                start
  * @param noted   for a later run to read; may change
  * @param schema  the columns of the rows, and whether they may differ from the columns of the preceding run
  * @param options the user's option names of fixed settings with another name in the log
  */
private[stoplog] final case class SinkSettings(
    fixed: Map[String, String],
    content: String,
    noted: Map[String, String] = Map.empty,
    schema: SinkSettings.RowSchema = SinkSettings.RowSchema.Unknown,
    options: Map[String, String] = Map.empty
) {
  def toMap: Map[String, String] = fixed ++ noted ++ columns + (SinkSettings.ContentKey -> content)

  /** Adds settings for a later run to read. */
  def noting(more: Map[String, String]): SinkSettings = copy(noted = noted ++ more)

  private def columns: Map[String, String] =
    if (schema.text.isEmpty) Map.empty else Map(SinkState.SchemaKey -> schema.text)
}

private[stoplog] object SinkSettings {
  private[stoplog] val ContentKey = "content"

  /** Returns whether the log belongs to a streaming file sink, which always records a content setting. */
  private[stoplog] def isOfFiles(state: SinkState): Boolean =
    state.settings.get(ContentKey).exists(_.nonEmpty)

  /** The roll reason of parts whose content setting differs from the setting of this run. */
  private[commit] val ContentChanged = RollReason.Custom("contentChanged")

  /** The columns of a run's rows, reduced to the facts that the protocol needs. */
  trait RowSchema {

    /** Returns all columns as text for the log; empty if unknown. */
    def text: String

    /** Throws if these columns must not follow the recorded columns. */
    def mayFollow(recorded: String): Unit

    final def id: Option[SchemaId] = Option.when(text.nonEmpty)(SchemaId.of(text))
  }

  object RowSchema {

    /** The schema of rows with unnamed columns, which may follow any schema. */
    case object Unknown extends RowSchema {
      override def text: String                      = ""
      override def mayFollow(recorded: String): Unit = ()
    }
  }
}

/** The handling of parts that are open at the end or at the start of a run. */
private[stoplog] sealed trait Finish

private[stoplog] object Finish {

  /** The driver closes and publishes the parts. */
  case object PublishOpen extends Finish

  /** The parts stay open, and the next run resumes the parts. */
  case object KeepOpen extends Finish
}
