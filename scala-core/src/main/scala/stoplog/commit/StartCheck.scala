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

  /** @param left how this query has left the log, if another one has adopted it since
    *
    * Errors: `STOPLOG_FOREIGN_QUERY`, `STOPLOG_EPOCH_GAP`, `STOPLOG_EPOCH_AHEAD`, `STOPLOG_EPOCH_REPLANNED`,
    * `STOPLOG_SETTINGS_CHANGED`, `STOPLOG_SCHEMA_CHANGED`.
    */
  def check(
      newest: Option[LogRecord],
      identity: SinkIdentity,
      settings: SinkSettings,
      onForeign: ForeignQuery,
      planned: Planned,
      left: => Option[SinkState]
  ): SinkState = newest.map(_.state) match {
    case None if planned.batch == 0 || onForeign == ForeignQuery.Adopt =>
      fresh(identity, settings, planned.batch)
    case None => throw Errors.epochGap(identity.path, identity.sinkId, "none", planned.batch)
    // an operator has decided that the log begins anew, whatever the checkpoint of the next query says
    case Some(state) if state.queryId == SinkState.NextQuery => fresh(identity, settings, planned.batch)
    case Some(state)                                         =>
      sameSettings(state, identity, settings)
      if (state.queryId == identity.queryId) sameQuery(state, identity, planned)
      else
        onForeign match {
          case ForeignQuery.Adopt  => adopted(state, identity, planned, left)
          case ForeignQuery.Refuse =>
            throw Errors.foreignQuery(identity.path, identity.sinkId, state.queryId, identity.queryId)
        }
  }

  /** The distance rule alone, for the epochs of a run that holds the claim. An epoch that is repeated must be the same
    * batch: one that was planned anew has rows that no query would write if it was passed over.
    */
  def sequence(state: SinkState, identity: SinkIdentity, planned: Planned): Unit = {
    import planned.batch
    val next = state.lastEpoch.fold(0L)(_ + 1)
    if (batch > next)
      throw Errors.epochGap(identity.path, identity.sinkId, state.lastEpoch.fold("none")(_.toString), batch)
    if (batch < next - 1) throw Errors.epochAhead(identity.path, identity.sinkId, next - 1, batch)
    if (batch == next - 1 && isAnother(planned.digest, state))
      throw Errors.epochPlannedAnew(identity.path, identity.sinkId, batch)
  }

  /** For the first epoch of a run. The one before it, behind which Spark has planned it, must be the batch that the log
    * holds. A driver that does not know yet that it is overtaken notes in the checkpoint that its batch is done, beside
    * one of the same number that its successor has planned anew; a run that finds that note begins behind rows that no
    * driver has written.
    */
  def goesOn(state: SinkState, identity: SinkIdentity, planned: Planned): Unit =
    state.lastEpoch.filter(_ == planned.batch - 1).foreach { last =>
      if (isAnother(planned.before, state))
        throw Errors.epochReplanned(identity.path, identity.sinkId, last)
    }

  private def isAnother(now: Option[BatchDigest], state: SinkState): Boolean =
    now.exists(digest => state.lastBatch.exists(_ != digest))

  /** For a run that started while the log was its query's. A log that has begun anew since belongs to the next query that
    * starts: this run would write again what its checkpoint, of before, has not noted. Error: `STOPLOG_FENCED`.
    */
  def notReset(newest: Option[LogRecord], identity: SinkIdentity): Unit =
    newest.filter(_.state.queryId == SinkState.NextQuery).foreach { reset =>
      throw Errors.fenced(identity.path, identity.sinkId, reset.seq, reset.run.value)
    }

  /** Refuses a change of settings that must not change. Errors: `STOPLOG_SETTINGS_CHANGED`, `STOPLOG_SCHEMA_CHANGED`. */
  def sameSettings(state: SinkState, identity: SinkIdentity, settings: SinkSettings): Unit = {
    settings.fixed.toSeq.sorted.foreach { case (setting, asked) =>
      state.settings.get(setting).filter(_ != asked).foreach { recorded =>
        throw Errors.settingsChanged(
          settings.options.getOrElse(setting, setting),
          recorded,
          asked,
          identity.path
        )
      }
    }
    state.schema.foreach(settings.schema.mayFollow)
  }

  /** To adopt is to take over the log of another query. A query's own log that lacks epochs of its checkpoint is an older
    * copy, and is refused though the query may adopt: the option is easily left on.
    */
  private def sameQuery(state: SinkState, identity: SinkIdentity, planned: Planned): SinkState = {
    sequence(state, identity, planned)
    goesOn(state, identity, planned)
    state
  }

  /** A query that had the log before does not write again what it has decided then: it may have died before Spark noted
    * that, and have been adopted by another one meanwhile. Nor does it pass over what the log lacks of it.
    */
  private def adopted(
      state: SinkState,
      identity: SinkIdentity,
      planned: Planned,
      left: Option[SinkState]
  ): SinkState = {
    val mine = state.copy(queryId = identity.queryId)
    left.foreach(sequence(_, identity, planned))
    left.filter(_.lastEpoch.exists(_ >= planned.batch)) match {
      case Some(own) => mine.after(own.lastEpoch, own.lastBatch)
      case None      => mine.after(before(planned.batch), batch = None)
    }
  }

  private def fresh(identity: SinkIdentity, settings: SinkSettings, batch: Long): SinkState =
    SinkState(identity.queryId, before(batch), Vector.empty, nextPart = 0, settings.toMap)

  private def before(batch: Long): Option[Long] = if (batch == 0) None else Some(batch - 1)
}

/** The digests of a query's micro-batches, as its checkpoint has them now. */
private[stoplog] trait BatchDigests {

  /** `None` where nothing can tell. */
  def of(batch: Long): Option[BatchDigest]
}

private[stoplog] object BatchDigests {

  /** Of an engine that does not tell. */
  val unknown: BatchDigests = _ => None
}

/** The batch that a run is to begin, which is looked up at once, before an operator may change the checkpoint; and the one before
  * it, when it is asked for.
  */
private[stoplog] final class Planned(val batch: Long, digests: BatchDigests) {
  val digest: Option[BatchDigest]      = digests.of(batch)
  lazy val before: Option[BatchDigest] = if (batch == 0) None else digests.of(batch - 1)
}
