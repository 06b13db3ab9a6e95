// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.SinkState

/** Which log a driver works on, and on whose behalf.
  *
  * @param path    the sink's path, for messages
  * @param queryId the Spark query, the same over restarts from one checkpoint
  */
final case class SinkIdentity(path: String, sinkId: String, queryId: String)

/** The treatment of a log that another query owns, or that lacks epochs. */
sealed trait ForeignQuery
object ForeignQuery {

  /** Refuse, by name. */
  case object Refuse extends ForeignQuery

  /** Take the log over as it stands and go on with this query's epochs. */
  case object Adopt extends ForeignQuery
}

/** The treatment of a part that is neither where it was written nor where it belongs. */
sealed trait LostPart
object LostPart {
  case object Fail extends LostPart
  case object Skip extends LostPart
}

/** The settings of a sink that its log keeps, so that a change between two runs is noticed.
  *
  * @param fixed   must not change: a change is refused by name (the zone of the buckets)
  * @param content what the bytes of a part look like: if it changes, open parts are closed and new ones begun
  * @param noted   for a later run to read; may change
  * @param schema  the columns of the rows, and whether they may differ from those of the run before
  * @param options what a user sets for a fixed setting that the log calls otherwise
  */
final case class SinkSettings(
    fixed: Map[String, String],
    content: String,
    noted: Map[String, String] = Map.empty,
    schema: RowSchema = RowSchema.Unknown,
    options: Map[String, String] = Map.empty
) {
  def toMap: Map[String, String] = fixed ++ noted ++ columns + (SinkSettings.ContentKey -> content)

  /** With more for a later run to read. */
  def noting(more: Map[String, String]): SinkSettings = copy(noted = noted ++ more)

  private def columns: Map[String, String] =
    if (schema.text.isEmpty) Map.empty else Map(SinkState.SchemaKey -> schema.text)
}

object SinkSettings {
  private[stoplog] val ContentKey = "content"

  /** Whether a log is that of a streaming sink of files, whose records always say what is in them. */
  private[stoplog] def isOfFiles(state: SinkState): Boolean =
    state.settings.get(ContentKey).exists(_.nonEmpty)

  /** The reason under which parts of the former content are closed. */
  private[commit] val ContentChanged = stoplog.rolling.RollReason.Custom("contentChanged")
}
