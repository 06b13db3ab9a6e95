// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.error.Errors
import stoplog.log.{BatchDigest, LogRecord, SinkState}

/** Whether a run may go on from the log as it stands. Pure: it answers with the state to go on from, or throws.
  *
  * Spark repeats an epoch that it has not seen committed, and otherwise asks for the next one. Any other distance
  * between log and checkpoint means that one of them was lost, swapped or restored, and writing on would lose rows
  * or repeat them.
  */
private[commit] object StartCheck {

  /** Errors: `STOPLOG_FOREIGN_QUERY`, `STOPLOG_EPOCH_GAP`, `STOPLOG_EPOCH_AHEAD`, `STOPLOG_SETTINGS_CHANGED`,
    * `STOPLOG_SCHEMA_CHANGED`.
    */
  def check(
      newest: Option[LogRecord],
      identity: SinkIdentity,
      settings: SinkSettings,
      onForeign: ForeignQuery,
      batch: Long,
      digest: Option[BatchDigest]
  ): SinkState = newest.map(_.state) match {
    case None if batch == 0 || onForeign == ForeignQuery.Adopt => fresh(identity, settings, batch)
    case None => throw Errors.epochGap(identity.path, identity.sinkId, "none", batch)
    // somebody has decided that the log begins anew, whatever the checkpoint of the next query says
    case Some(state) if state.queryId == SinkState.Nobody => fresh(identity, settings, batch)
    case Some(state)                                      =>
      sameSettings(state, identity, settings)
      if (state.queryId == identity.queryId) sameQuery(state, identity, onForeign, batch, digest)
      else
        onForeign match {
          case ForeignQuery.Adopt  => adopted(state, identity, batch)
          case ForeignQuery.Refuse =>
            throw Errors.foreignQuery(identity.path, identity.sinkId, state.queryId, identity.queryId)
        }
  }

  /** The distance rule alone, for the epochs of a run that holds the claim. An epoch that is repeated must be the same
    * batch: one that was planned anew has rows that nobody would write if it was passed over.
    */
  def sequence(state: SinkState, identity: SinkIdentity, batch: Long, digest: Option[BatchDigest]): Unit = {
    val next = state.lastEpoch.fold(0L)(_ + 1)
    if (batch > next)
      throw Errors.epochGap(identity.path, identity.sinkId, state.lastEpoch.fold("none")(_.toString), batch)
    if (batch < next - 1) throw Errors.epochAhead(identity.path, identity.sinkId, next - 1, batch)
    if (batch == next - 1 && digest.exists(now => state.lastBatch.exists(_ != now)))
      throw Errors.epochPlannedAnew(identity.path, identity.sinkId, batch)
  }

  /** That nothing has changed which must not. Errors: `STOPLOG_SETTINGS_CHANGED`, `STOPLOG_SCHEMA_CHANGED`. */
  def sameSettings(state: SinkState, identity: SinkIdentity, settings: SinkSettings): Unit = {
    settings.fixed.toSeq.sorted.foreach { case (setting, asked) =>
      state.settings.get(setting).filter(_ != asked).foreach { recorded =>
        throw Errors.settingsChanged(setting, recorded, asked, identity.path)
      }
    }
    state.schema.foreach(settings.schema.mayFollow)
  }

  private def sameQuery(
      state: SinkState,
      identity: SinkIdentity,
      onForeign: ForeignQuery,
      batch: Long,
      digest: Option[BatchDigest]
  ): SinkState = onForeign match {
    case ForeignQuery.Adopt if batch > state.lastEpoch.fold(0L)(_ + 1) => adopted(state, identity, batch)
    case _                                                             =>
      sequence(state, identity, batch, digest)
      state
  }

  private def adopted(state: SinkState, identity: SinkIdentity, batch: Long): SinkState =
    state.copy(queryId = identity.queryId).after(before(batch), batch = None)

  private def fresh(identity: SinkIdentity, settings: SinkSettings, batch: Long): SinkState =
    SinkState(identity.queryId, before(batch), Vector.empty, nextPart = 0, settings.toMap)

  private def before(batch: Long): Option[Long] = if (batch == 0) None else Some(batch - 1)
}
