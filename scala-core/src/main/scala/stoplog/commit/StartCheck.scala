// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.error.Errors
import stoplog.log.{LogRecord, QueryEpoch, SinkState}

/** Whether a run may go on from the log as it stands. Pure: it answers with the state to go on from, or throws. */
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
    // an operator has decided that the log begins anew, whatever the checkpoint of the next query says
    case Some(state) if state.queryId == SinkState.NextQuery =>
      fresh(QueryEpoch.before(identity.queryId, planned.batch), settings)
    case found =>
      found.foreach(sameSettings(_, identity, settings))
      val last = epochs(identity)
        .start(found.map(_.newest), identity.queryId, onForeign, planned, left.map(_.newest))
      found.fold(fresh(last, settings))(_.goingOnFrom(last))
  }

  /** See [[EpochCheck.sequence]]. */
  def sequence(state: SinkState, identity: SinkIdentity, planned: Planned): Unit =
    epochs(identity).sequence(state.newest, planned)

  /** See [[EpochCheck.goesOn]]. */
  def goesOn(state: SinkState, identity: SinkIdentity, planned: Planned): Unit =
    epochs(identity).goesOn(state.newest, planned)

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

  private def fresh(last: QueryEpoch, settings: SinkSettings): SinkState =
    SinkState(last.queryId, last.epoch, Vector.empty, nextPart = 0, settings.toMap)

  private def epochs(identity: SinkIdentity): EpochCheck = new EpochCheck(new LogErrors(identity))

  private final class LogErrors(identity: SinkIdentity) extends EpochErrors {
    import identity.{path, sinkId}

    override def foreignQuery(owner: String): Throwable =
      Errors.foreignQuery(path, sinkId, owner, identity.queryId)

    override def gap(last: Option[Long], batch: Long): Throwable =
      Errors.epochGap(path, sinkId, last.fold("none")(_.toString), batch)

    override def ahead(last: Long, batch: Long): Throwable = Errors.epochAhead(path, sinkId, last, batch)

    override def plannedAnew(batch: Long): Throwable = Errors.epochPlannedAnew(path, sinkId, batch)

    override def replanned(last: Long): Throwable = Errors.epochReplanned(path, sinkId, last)
  }
}
