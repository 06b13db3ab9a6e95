// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.CommitLog
import stoplog.part.RunId
import stoplog.rolling.{OnCheckpointRollingPolicy, RollingPolicy}
import stoplog.sink.TwoPhaseCommitter
import stoplog.storage.{NoFiles, PartStore, ReplacedFiles, SpoolFiles}

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
      sides: SpoolFiles,
      format: () => PartFormat[_],
      choices: SinkDriver.Choices,
      tools: SinkDriver.Tools,
      followUps: FollowUps,
      finished: ReplacedFiles = ReplacedFiles.none,
      compaction: Compaction = Compaction.Off
  ): SinkDriver = {
    val parts = new OpenParts.Stored(
      run,
      store,
      sides,
      format,
      choices.onLost,
      log.refuseIfOvertaken(identity.path, identity.sinkId, _),
      tools
    )
    val ledger =
      new Ledger(run, identity, log, Ledger.Stores(store, sides, finished), choices.onLost, followUps, tools)
    val rules = SinkDriver.Rules(policy, choices, compaction, followUps)
    new SinkDriver(run, identity, settings, ledger, parts, rules, tools)
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
  ): SinkDriver = {
    val followUps = FollowUps.none(identity.sinkId, NoFiles)
    val ledger    =
      new Ledger(run, identity, log, Ledger.Stores.of(committer), choices.onLost, followUps, tools)
    val rules = SinkDriver.Rules(OnCheckpointRollingPolicy(), choices, Compaction.Off, followUps)
    new SinkDriver(run, identity, settings, ledger, OpenParts.Never, rules, tools)
  }
}
