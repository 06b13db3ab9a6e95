// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.commit.complete.FollowUps
import stoplog.log.CommitLog
import stoplog.part.RunId
import stoplog.rolling.{OnCheckpointRollingPolicy, RollingPolicy}
import stoplog.sink.TwoPhaseCommitter
import stoplog.store.{FinishedStore, NoteStore, PartStore, SideStore}

/** One driver for all sinks that commit in two phases: what differs is what an epoch may leave open. */
private[commit] trait SinkDrivers {

  /** Of a sink of files, whose parts stay open from epoch to epoch. */
  def ofParts(
      run: RunId,
      identity: SinkIdentity,
      settings: SinkSettings,
      policy: RollingPolicy,
      log: CommitLog,
      store: PartStore,
      sides: SideStore,
      format: () => PartFormat[_],
      choices: SinkDriver.Choices,
      tools: SinkDriver.Tools,
      followUps: FollowUps,
      finished: FinishedStore = FinishedStore.untouched,
      compaction: Compaction = Compaction.Off
  ): SinkDriver = {
    val parts = new OpenParts.Stored(run, identity, log, store, sides, format, choices.onLost, tools)
    new SinkDriver(
      run,
      identity,
      settings,
      policy,
      log,
      store,
      parts,
      sides,
      choices,
      tools,
      followUps,
      finished,
      compaction
    )
  }

  /** Of a sink whose epochs each end with what their tasks have prepared. */
  def ofPrepared(
      run: RunId,
      identity: SinkIdentity,
      settings: SinkSettings,
      log: CommitLog,
      committer: TwoPhaseCommitter,
      choices: SinkDriver.Choices,
      tools: SinkDriver.Tools
  ): SinkDriver = new SinkDriver(
    run,
    identity,
    settings,
    OnCheckpointRollingPolicy(),
    log,
    committer,
    OpenParts.Never,
    SideStore.none,
    choices,
    tools,
    FollowUps.none(identity.sinkId, NoteStore.none),
    FinishedStore.untouched,
    Compaction.Off
  )
}
