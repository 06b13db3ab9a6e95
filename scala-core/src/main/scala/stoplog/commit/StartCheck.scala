// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.error.{Errors, StartErrors}
import stoplog.log.{LogRecord, QueryEpoch, SinkState}

/** Checks whether a query may resume from the log. Each check returns the state to resume from, or throws.
  *
  * @param kept the retained records of the log; read only if another query owns the log or this query is
  *             rejected
  */
private[stoplog] final class StartCheck(identity: SinkIdentity, kept: () => Vector[LogRecord]) {
  import identity.queryId

  private val epochs = new EpochCheck(new LogErrors(identity, kept))

  /** Checks the start of a run that claims the log.
    *
    * Errors: `STOPLOG_FOREIGN_QUERY`, `STOPLOG_EPOCH_GAP`, `STOPLOG_EPOCH_AHEAD`, `STOPLOG_EPOCH_REPLANNED`,
    * `STOPLOG_SETTINGS_CHANGED`, `STOPLOG_SCHEMA_CHANGED`.
    */
  def start(
      newest: Option[LogRecord],
      settings: SinkSettings,
      onForeign: ForeignQuery,
      planned: Planned
  ): SinkState = newest.map(_.state) match {
    // an operator has reset the log, regardless of the checkpoint of the next query
    case Some(state) if state.queryId == SinkState.NextQuery =>
      fresh(QueryEpoch.before(queryId, planned.batch), settings)
    case found =>
      val last = checked(found, Some(settings), onForeign, planned)
      found.fold(fresh(last, settings))(_.copy(newest = last))
  }

  /** Checks a later start. Errors: those of [[start]].
    *
    * @param settings `None` if the settings have an error of their own
    */
  def preview(
      newest: Option[SinkState],
      settings: Option[SinkSettings],
      onForeign: ForeignQuery,
      planned: Planned
  ): Unit =
    if (!newest.exists(_.queryId == SinkState.NextQuery)) checked(newest, settings, onForeign, planned): Unit

  private def checked(
      newest: Option[SinkState],
      settings: Option[SinkSettings],
      onForeign: ForeignQuery,
      planned: Planned
  ): QueryEpoch = {
    for {
      state <- newest
      now   <- settings
    } StartCheck.sameSettings(state, identity, now)
    epochs.start(new TakenLog(newest), queryId, onForeign, planned)
  }

  /** Checks an operator's handover of the log to the query.
    *
    * Errors: `STOPLOG_FOREIGN_QUERY`, `STOPLOG_EPOCH_AHEAD`, `STOPLOG_EPOCH_REPLANNED`.
    */
  def handOver(state: SinkState, onForeign: ForeignQuery, planned: Planned): QueryEpoch =
    epochs.handOver(new TakenLog(Some(state)), queryId, onForeign, planned)

  /** See [[EpochCheck.sequence]]. */
  def sequence(state: SinkState, planned: Planned): Unit = epochs.sequence(state.newest, planned)

  /** See [[EpochCheck.requireContinuation]]. */
  def requireContinuation(state: SinkState, planned: Planned): Unit =
    epochs.requireContinuation(state.newest, planned)

  private def fresh(last: QueryEpoch, settings: SinkSettings): SinkState =
    SinkState(last, Vector.empty, nextPart = 0, settings.toMap)

  private final class TakenLog(state: Option[SinkState]) extends TakenSink {
    override def newest: Option[QueryEpoch]                = state.map(_.newest)
    override def leftBy(query: String): Option[QueryEpoch] = GoingBack.leftBy(kept(), query)
    override def hasNoRows: Boolean                        = GoingBack.hasNoRows(kept())
  }
}

private[stoplog] object StartCheck {

  /** Throws `STOPLOG_FENCED` if the log was reset after this run had started. A reset log belongs to the next
    * query that starts: this run would write epochs again that its older checkpoint lacks.
    */
  def notReset(newest: Option[LogRecord], identity: SinkIdentity): Unit =
    newest.filter(_.state.queryId == SinkState.NextQuery).foreach { reset =>
      throw Errors.fenced(identity.path, identity.sinkId, reset.seq, reset.run.value)
    }

  /** Throws `STOPLOG_SETTINGS_CHANGED` or `STOPLOG_SCHEMA_CHANGED` after a change that is not allowed. */
  def sameSettings(state: SinkState, identity: SinkIdentity, settings: SinkSettings): Unit = {
    sameFixed(state, identity.path, settings)
    state.schema.foreach(settings.schema.mayFollow)
  }

  /** Throws `STOPLOG_SETTINGS_CHANGED` if a fixed setting differs from the log. */
  def sameFixed(state: SinkState, path: String, settings: SinkSettings): Unit =
    settings.fixed.toSeq.sorted.foreach { case (setting, requested) =>
      state.settings.get(setting).filter(_ != requested).foreach { recorded =>
        throw Errors.settingsChanged(settings.options.getOrElse(setting, setting), recorded, requested, path)
      }
    }
}

/** The errors of a rejected log, each with the rows that the query would write again. */
private final class LogErrors(identity: SinkIdentity, kept: () => Vector[LogRecord]) extends EpochErrors {
  import identity.{path, queryId, sinkId}

  override def foreignQuery(owner: QueryEpoch, batch: Long): Throwable = {
    val again =
      if (batch >= owner.next) s"It starts at batch $batch, after all epochs of the log"
      else
        s"Starting at batch $batch, it may write again: ${GoingBack.of(kept(), GoingBack.Scope.All).describe}"
    StartErrors.foreignQuery(path, sinkId, owner.queryId, queryId, again)
  }

  override def gap(last: Option[Long], batch: Long): Throwable =
    StartErrors.epochGap(path, sinkId, last, batch)

  override def ahead(last: Long, batch: Long): Throwable =
    StartErrors.epochAhead(path, sinkId, last, batch, from(batch))

  override def plannedAnew(batch: Long): Throwable =
    StartErrors.epochPlannedAnew(path, sinkId, batch, from(batch))

  override def replanned(last: Long): Throwable = StartErrors.epochReplanned(path, sinkId, last, from(last))

  private def from(batch: Long): String =
    GoingBack.of(kept(), GoingBack.Scope.Own(queryId, batch)).describe
}
