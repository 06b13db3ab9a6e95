package stoplog.commit

import scala.annotation.tailrec

import stoplog.error.Errors
import stoplog.fault.{Faults, Step}
import stoplog.log.{CommitLog, LogRecord, RecordKind, SinkState}
import stoplog.part.{Open, RunId}
import stoplog.store.PartStore

/** Protocol step 2: how a run becomes the one that writes the log. */
private[commit] final class Claiming(
    log: CommitLog,
    store: PartStore,
    publisher: Publisher,
    identity: SinkIdentity,
    settings: SinkSettings,
    onForeign: ForeignQuery,
    clock: Clock,
    faults: Faults
) {

  /** The claim, as it stands in the log now. Errors: those of [[StartCheck.check]], `STOPLOG_FENCED`. */
  def claim(run: RunId, batch: Long): LogRecord =
    attempt(run, left = Attempts)(StartCheck.check(_, identity, settings, onForeign, batch))

  /** Claims the log for a run that has no epoch yet, if it still ends with record `seenSeq`, as it did at the start,
    * and if there is anything to do: a part that is due, or one that a dead driver has decided and not published.
    *
    * One try: whoever has written since then is alive, and must not be fenced by a run that has no data.
    */
  def claimIdle(run: RunId, seenSeq: Long, isDue: Open => Boolean): Option[LogRecord] =
    log
      .newest()
      .filter(newest => newest.seq == seenSeq && newest.state.queryId == identity.queryId)
      .filter(newest => newest.state.open.exists(isDue) || !log.isPublished(newest))
      .flatMap { newest =>
        StartCheck.sameSettings(newest.state, identity, settings)
        tryClaim(Some(newest), newest.state, run).toOption
      }

  /** The claim's open parts, as far as they can be gone on with in place.
    *
    * Asked after the claim, and by tasks of older runs the other way round: they announce themselves first and look
    * at the log then. So either they see the claim and stop, or they are seen here (I1).
    */
  def fence(claim: LogRecord): SinkState =
    if (claim.state.open.nonEmpty && store.othersGone(claim.run))
      claim.state.copy(open = claim.state.open.map(_.copy(owner = Some(claim.run))))
    else claim.state

  @tailrec
  private def attempt(run: RunId, left: Int)(check: Option[LogRecord] => SinkState): LogRecord = {
    val newest = log.newest()
    tryClaim(newest, check(newest), run) match {
      case Right(claim)           => claim
      case Left(_) if left > 1    => attempt(run, left - 1)(check)
      case Left((claim, byOther)) => throw Errors.fenced(identity.path, identity.sinkId, claim.seq, byOther)
    }
  }

  /** The claim, or what was to be one and the run that was faster. */
  private def tryClaim(
      newest: Option[LogRecord],
      state: SinkState,
      run: RunId
  ): Either[(LogRecord, String), LogRecord] = {
    faults.at(Step.BeforeRepublish)
    newest.foreach(publisher.republish)
    faults.at(Step.BeforeClaim)
    val seq   = newest.fold(0L)(_.seq + 1)
    val claim = LogRecord(seq, RecordKind.Claim, run, clock.millis(), publish = Vector.empty, state)
    log.append(claim) match {
      case CommitLog.Decided =>
        faults.at(Step.AfterClaim)
        Right(claim)
      case CommitLog.Overtaken(byRun) => Left(claim -> byRun)
    }
  }

  /** A living driver writes a record with each epoch; whoever loses that often has one that will not end. */
  private final val Attempts = 20
}
