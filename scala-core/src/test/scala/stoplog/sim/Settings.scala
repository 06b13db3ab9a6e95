// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.commit.{CompleteRule, Finish, LostPart}

/** The kinds of worlds beside the plain one. */
object Settings {
  val renaming: Setting = Setting.of("files are renamed")(WorldConditions(store = StoreKind.Renaming))

  val copying: Setting = Setting.of("parts are copied")(WorldConditions(store = StoreKind.Copying))

  /** The disk of the path is away for a while, for one process or for all of them, and clocks of processes differ. */
  val mounts: Setting = Setting
    .of("the disk comes and goes")(WorldConditions(mounts = Mounts.ComeAndGo, tools = Vector(Operator.Clean)))
    .uncompacted
    .copy(rule = _ => CompleteRule.Never)

  val answersRepeated: Setting =
    Setting.of("answers get lost, on a disk")(
      WorldConditions(answers = Answers.Repeated, listing = Listing.NewestFirst)
    )

  val copiedAnswersRepeated: Setting = Setting.of("answers get lost, where parts are copied")(
    WorldConditions(store = StoreKind.Copying, answers = Answers.Repeated, listing = Listing.NewestFirst)
  )

  def readers(store: StoreKind, readers: Readers): Setting =
    Setting.of(s"readers take files, $store, $readers")(WorldConditions(store = store, readers = readers))

  val copiers: Setting = Setting
    .of("a directory is copied by hard links")(WorldConditions(copiers = Copiers.Linking))
    .copy(rule = _ => CompleteRule.Never)

  def markers(store: StoreKind, readers: Readers): Setting =
    Setting
      .of(s"a marker is created with an error, $store, $readers")(
        WorldConditions(store = store, readers = readers, markers = MarkerAnswers.Failing)
      )
      .announcing

  def checkpoint(fate: CheckpointFate): Setting =
    Setting.of(s"the checkpoint is not kept: $fate")(WorldConditions(checkpoint = fate))

  /** Without manifests and markers, of which a record's place is a part. */
  def names(readers: Readers): Setting = Setting
    .of(s"a power loss takes names, $readers")(WorldConditions(power = PowerTakes.Names, readers = readers))
    .copy(rule = _ => CompleteRule.Never)

  /** First attempts fall asleep in a part that is open in place, their jobs are given up, and the driver goes on. */
  val givenUp: Setting = Setting
    .of("jobs are given up")(WorldConditions(jobs = Jobs.GivenUp))
    .copy(traits =
      _.copy(policy = SimPolicy.never, format = SimFormat.Lines, chaosBudget = 10, maxOpenParts = 1000)
    )

  /** The query goes on without parts that readers have taken. */
  def skipping(store: StoreKind): Setting = Setting.of(s"lost parts are skipped, $store")(
    WorldConditions(store = store, readers = Readers.AtOnce, onLost = LostPart.Skip)
  )

  /** The query is started once more beside a living driver, and gets no further than what every start does. */
  def starting(store: StoreKind): Setting =
    Setting.of(s"second starts, $store")(WorldConditions(store = store, tools = Vector(Operator.Republish)))

  /** Somebody hands the sink to the query that has it. */
  val adopting: Setting =
    Setting.of("a query adopts its own sink")(WorldConditions(tools = Vector(Operator.Adopt)))

  /** The same, while somebody puts a backup of the checkpoint in place, which is several batches behind. */
  val adoptingRestored: Setting = Setting.of("a query adopts its own sink with an older checkpoint")(
    WorldConditions(checkpoint = CheckpointFate.Restored, tools = Vector(Operator.Adopt))
  )

  /** Somebody goes back to an older epoch, and the query writes what followed once more. */
  def rewinding(store: StoreKind): Setting =
    withTools("rewind", store, Operator.Rewind, Operator.Finalize).uncompacted

  /** The same, on a directory whose files a batch compaction merges. */
  def rewindingAndCompacting(store: StoreKind): Setting =
    withTools("rewind and compact", store, Operator.Rewind, Operator.Compact).uncompacted

  /** Somebody begins the log anew. */
  def resetting(store: StoreKind): Setting = withTools("reset", store, Operator.Reset, Operator.Clean)

  /** Each start publishes what earlier runs have left open. */
  def finishing(store: StoreKind): Setting =
    Setting.of(s"starts finish open parts, $store")(
      WorldConditions(store = store, onRestart = Finish.PublishOpen)
    )

  /** One row of three is rejected, and written to a part of its own. */
  def rejecting(store: StoreKind): Setting = Setting
    .of(s"rows are rejected, $store")(WorldConditions(store = store, rejects = Rejects.Some))
    .copy(traits = _.copy(format = SimFormat.Lines), rule = _ => CompleteRule.Never)

  /** The same, and somebody goes back to an older epoch. */
  def rejectingAndRewinding(store: StoreKind): Setting = Setting
    .of(s"rows are rejected, and set back, $store")(
      WorldConditions(store = store, rejects = Rejects.Some, tools = Vector(Operator.Rewind))
    )
    .copy(traits = _.copy(format = SimFormat.Lines, compaction = None), rule = _ => CompleteRule.Never)

  /** Nothing is cut off a part: its companion says how many bytes count, and readers honour it. */
  def uncut(store: StoreKind, readers: Readers): Setting = Setting
    .of(s"nothing is cut, $store, $readers")(
      WorldConditions(store = store, cutting = Cutting.ByCompanion, readers = readers)
    )

  /** A batch compaction merges what the query has published. */
  def compacting(store: StoreKind): Setting = withTools("compact", store, Operator.Compact, Operator.Finalize)

  /** Two queries write to one directory, each with a sink id of its own. */
  def twoSinks(store: StoreKind): Setting = Setting
    .of(s"two sinks, $store")(
      WorldConditions(store = store, sinkIds = Vector(DiskLog.Main, DiskLog.Other))
    )
    .copy(rule = _ => CompleteRule.Never)

  private def withTools(name: String, store: StoreKind, tools: Operator.Act*): Setting = Setting
    .of(s"tools beside the query: $name, $store")(WorldConditions(store = store, tools = tools.toVector))
    .copy(rule = _ => CompleteRule.Never)
}
