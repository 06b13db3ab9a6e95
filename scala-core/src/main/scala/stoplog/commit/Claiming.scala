// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.annotation.tailrec

import stoplog.error.Errors
import stoplog.fault.Step
import stoplog.log.{CommitLog, LogRecord, RecordKind, SinkState}
import stoplog.part.RunId

/** Protocol step 2: how a run becomes the one that writes the log. */
private[commit] final class Claiming(
    log: CommitLog,
    parts: OpenParts,
    publisher: Publisher,
    identity: SinkIdentity,
    settings: SinkSettings,
    onForeign: ForeignQuery,
    tools: SinkDriver.Tools
) {
  import tools.{clock, faults}

  /** The claim, as it stands in the log now. Errors: those of [[StartCheck.check]], `STOPLOG_FENCED`. */
  def claim(run: RunId, batch: Long): LogRecord =
    attempt(run, left = Attempts)(StartCheck.check(_, identity, settings, onForeign, batch))

  /** Claims the log for a run that has no epoch yet, if it still ends with record `seenSeq`, as it did at the start,
    * and if there is anything to do: something that is due, or that a dead driver has decided and not carried out.
    *
    * One try: whoever has written since then is alive, and must not be fenced by a run that has no data.
    */
  def claimIdle(run: RunId, seenSeq: Long, isDue: SinkState => Boolean): Option[LogRecord] =
    log
      .newest()
      .filter(newest => newest.seq == seenSeq && newest.state.queryId == identity.queryId)
      .filter(newest => isDue(newest.state) || !log.isPublished(newest))
      .flatMap { newest =>
        StartCheck.sameSettings(newest.state, identity, settings)
        tryClaim(Some(newest), newest.state, run).toOption
      }

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
  ): Either[(LogRecord, String), LogRecord] = tools.parallel.uninterrupted {
    faults.at(Step.BeforeRepublish)
    newest.foreach(publisher.republish)
    faults.at(Step.BeforeClaim)
    val seq   = newest.fold(0L)(_.seq + 1)
    val mine  = state.copy(settings = state.settings ++ settings.noted)
    val claim =
      LogRecord(seq, RecordKind.Claim, run, clock.millis(), publish = Vector.empty, parts.claimed(mine))
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
