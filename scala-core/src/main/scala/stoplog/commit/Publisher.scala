// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.slf4j.LoggerFactory

import stoplog.commit.complete.{Announcer, FollowUps}
import stoplog.error.Errors
import stoplog.fault.Step
import stoplog.log.{CommitLog, LogRecord}
import stoplog.part.Pending
import stoplog.sink.{CommitOutcome, Prepared, TwoPhaseCommitter}
import stoplog.store.FinishedStore

/** Makes visible what a record names (I3), does what it says is to follow, then marks the record. Any process may do
  * it, any number of times.
  *
  * The mark is an economy and a courtesy: finished files belong to their readers, who may move or delete them, and
  * a restart must then not take them for lost.
  */
private[commit] final class Publisher(
    committer: TwoPhaseCommitter,
    log: CommitLog,
    identity: SinkIdentity,
    onLost: LostPart,
    tools: SinkDriver.Tools,
    followUps: FollowUps,
    finished: FinishedStore = FinishedStore.untouched
) {
  import tools.{faults, parallel, retry}

  private val announcer   = new Announcer(followUps, parallel, retry, faults)
  private val replacement = new Replacement(finished, parallel, retry, faults)

  /** Idempotent. Errors: `STOPLOG_PART_LOST`, `STOPLOG_NAME_TAKEN`, `STOPLOG_PART_SHORT`, `STOPLOG_STORE_WRITE`,
    * and those of a user's listener.
    */
  def publish(record: LogRecord): Unit = {
    replacement.setAside(record)
    parallel.map(record.publish) { part =>
      publishPart(part, record)
      faults.at(Step.PartPublished)
    }
    faults.at(Step.AfterPublish)
    replacement.forget(record)
    announcer.announce(record)
    log.markPublished(record)
    faults.at(Step.AfterMark)
  }

  /** [[publish]], unless the record is marked. */
  def republish(record: LogRecord): Unit = if (!log.isPublished(record)) publish(record)

  /** A part without bytes has nothing to show: readers never see an empty file. */
  private def publishPart(part: Pending, record: LogRecord): Unit = if (part.sizeBytes > 0)
    retry(() => committer.commit(Publisher.prepared(part))) match {
      case CommitOutcome.Lost => lost(part, record)
      case _                  => ()
    }

  private def lost(part: Pending, record: LogRecord): Unit = {
    replacement.undo(record)
    val error = Errors.partLost(
      s"${identity.path}/${part.finishedPath}",
      part.handle.token,
      part.bucket,
      record.state.lastEpoch.getOrElse(-1L)
    )
    onLost match {
      case LostPart.Fail => throw error
      case LostPart.Skip => Publisher.logger.warn("Going on without a lost part (onLostPart=skip)", error)
    }
  }
}

private[commit] object Publisher {
  private val logger = LoggerFactory.getLogger("stoplog")

  private def prepared(part: Pending): Prepared =
    Prepared(part.finishedPath, part.handle.token, part.records, part.sizeBytes)
}
