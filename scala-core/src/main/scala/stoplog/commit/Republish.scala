// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.commit.complete.FollowUps
import stoplog.log.{CommitLog, LogRecord}
import stoplog.sink.TwoPhaseCommitter
import stoplog.store.FinishedStore

/** Protocol step 1, before any claim. */
object Republish {

  /** Makes visible what the record decided, unless that was done. Idempotent, and safe beside a living driver.
    *
    * Errors: as publishing in [[SinkDriver.commit]].
    */
  def apply(
      record: LogRecord,
      log: CommitLog,
      committer: TwoPhaseCommitter,
      finished: FinishedStore,
      identity: SinkIdentity,
      onLost: LostPart,
      tools: SinkDriver.Tools,
      followUps: FollowUps
  ): Unit =
    new Publisher(committer, log, identity, onLost, tools, followUps, finished).republish(record)
}
