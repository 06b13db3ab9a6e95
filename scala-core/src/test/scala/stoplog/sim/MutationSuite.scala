// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import org.scalatest.funsuite.AnyFunSuite

/** That the simulator would notice: each rule of the protocol, taken out, is caught within a fixed set of seeds. */
class MutationSuite extends AnyFunSuite {
  private val seeds = 0L until 2000L

  caught("no claim is written", Mutations.NoClaim)
  caught("an abort deletes what the tasks returned", Mutations.AbortDeletesResults)
  caught("an abort deletes what the tasks were handed", Mutations.AbortDeletesHanded)
  caught("writers of older runs are taken for gone", Mutations.OthersAlwaysGone)
  caught("writers do not announce themselves", Mutations.NoLease)
  caught("a record counts though newer ones were there", Mutations.NoLookBack, from = 50)
  caught("parts are published before the record", Mutations.PublishBeforeRecord)
  caught(
    "the sweeper reads the log before it lists",
    Mutations.LogBeforeListing,
    from = 270,
    in = Settings.twoSinks(StoreKind.Replacing)
  )
  caught("a repeated attempt goes on in place", Mutations.RepeatedInPlace)
  caught("the driver closes parts without isolating them", Mutations.NoIsolation, from = 150)
  caught("a start takes every record for published", Mutations.AlwaysMarked)
  caught("spool files are dropped before the record", SpoolMutations.DropBeforeRecord)
  caught("spool files are dropped that the record names", SpoolMutations.DropNamed)
  caught("spool files are not forced before the record", SpoolMutations.NotForced)
  caught("a spool file of another attempt is reused", SpoolMutations.ReusedName)
  caught("a part is gone on with without the rows beside it", SpoolMutations.RowsForgotten)
  caught("a record has none of the rows behind those of files", SpoolMutations.RecordRowsForgotten)
  caught("the driver ends parts unannounced", SpoolMutations.NoLeaseOfDriver)
  caught(
    "the driver ends parts without a look at the log",
    SpoolMutations.NoLookOfDriver,
    from = 130,
    in = Settings.adopting
  )
  caught("a part that nothing was written to is its run's own", SpoolMutations.OwnedUnwritten, from = 270)
  caught(
    "a merged part is published before the others are set aside",
    CompactionMutations.PublishBeforeSetAside
  )
  caught("parts are set aside before the record", CompactionMutations.SetAsideBeforeRecord)
  caught("parts are deleted before the merged one is visible", CompactionMutations.DeletedAtOnce)
  caught("parts that were set aside stay", CompactionMutations.NeverDeleted)

  caught("a tool removes what were orphans when it was asked", OperatorMutations.CleanAsPlanned, from = 110)
  caught("a tool finishes parts without isolating them", OperatorMutations.FinishInPlace, from = 3455)

  caught(
    "who hands a sink over takes no notice of what is written again",
    OperatorMutations.AdoptsAnything,
    in = Settings.adoptingRestored
  )
  caught(
    "who goes back to an older epoch keeps no copies",
    OperatorMutations.RewindWithoutCopies,
    in = Settings.rewinding(StoreKind.Replacing)
  )
  caught(
    "files of later epochs stay when somebody goes back",
    OperatorMutations.RewindLeavesFiles,
    in = Settings.rewinding(StoreKind.Replacing)
  )
  caught(
    "who begins a log anew keeps no records",
    OperatorMutations.ResetWithoutCopies,
    from = 20,
    in = Settings.resetting(StoreKind.Replacing)
  )
  caught(
    "a start does not tell its driver what it has found",
    OperatorMutations.StartedUnseen,
    in = Settings.resetting(StoreKind.Replacing)
  )
  caught(
    "a batch compaction looks at no sink of a stream",
    OperatorMutations.CompactsAnything,
    from = 2440,
    in = Settings.rewindingAndCompacting(StoreKind.Replacing)
  )
  caught(
    "the sweep of one sink takes what another one has open",
    OperatorMutations.SweepsOthers,
    in = Settings.twoSinks(StoreKind.Replacing)
  )

  caught(
    "a driver does not look for the record before its own",
    PlaceMutations.NoPredecessor,
    in = Settings.mounts
  )
  caught("a start goes on from a log that lacks records", PlaceMutations.NoGapCheck, in = Settings.mounts)
  caught("nobody looks for what the other has written", PlaceMutations.NobodyLooks, in = Settings.mounts)

  caught("markers are written before their parts", AnnouncementMutations.BeforeParts)
  caught("markers are written before the record", AnnouncementMutations.BeforeRecord)
  caught("nobody looks for earlier markers", AnnouncementMutations.PastForgotten)
  caught("a marker that is there is written once more", AnnouncementMutations.NeverItsOwn, from = 50)

  caught("an abort keeps ownership", new RuleMutations.AbortKeepsOwnership, in = Settings.givenUp)
  caught(
    "untouched parts of a repeated task stay owned",
    new RuleMutations.UntouchedKeepsOwnership,
    from = 930,
    in = Settings.givenUp.whole
  )
  caught(
    "a task looks before it announces itself",
    RuleMutations.LookBeforeAnnouncing,
    from = 7450,
    in = Settings.twoSinks(StoreKind.Replacing)
  )
  caught("no task looks at the log", RuleMutations.NoLookOfTasks, from = 450)
  caught(
    "a driver looks for writers before its claim",
    RuleMutations.FenceBeforeClaim,
    from = 1400,
    in = Settings.twoSinks(StoreKind.Replacing)
  )
  caught("records are written over", RuleMutations.RecordsOverwritten)
  caught("who has lost its place goes on", RuleMutations.LoserGoesOn)
  caught("a part is published with what was never committed", RuleMutations.PublishedUncut, from = 290)
  caught("a copy takes along what was never committed", RuleMutations.CopiedUncut)

  caught("records are removed on which others rest", RuleMutations.BasesTrimmed)
  caught(
    "the newest record loses its mark",
    RuleMutations.NewestUnmarked,
    in = Settings.readers(StoreKind.Renaming, Readers.ByMark)
  )
  caught("parts are not forced before the record", DurabilityMutations.PartsNotForced)
  caught(
    "final names are not forced",
    DurabilityMutations.FinishedNamesNotForced,
    from = 85,
    in = Settings.names(Readers.Patient)
  )
  caught(
    "names of open parts are not forced",
    DurabilityMutations.OpenNamesNotForced,
    from = 170,
    in = Settings.names(Readers.Patient)
  )
  caught(
    "the log's directory is not forced",
    DurabilityMutations.LogNotForced,
    from = 200,
    in = Settings.names(Readers.Patient)
  )
  caught("a record is marked with its first part", DurabilityMutations.MarkedWithFirstPart, from = 55)
  caught("a record is marked before what follows", DurabilityMutations.MarkedBeforeFollowUps, from = 335)
  caught(
    "a merge is decided without a look at its inputs",
    DurabilityMutations.CompactedWithoutCheck,
    from = 820,
    in = Settings.readers(StoreKind.Renaming, Readers.AtOnce).merging
  )
  caught(
    "a part that a storage fails to publish is taken for lost, and skipped",
    DurabilityMutations.FailedIsLost,
    from = 230,
    in = Settings.skipping(StoreKind.Replacing)
  )
  caught(
    "what was replaced is deleted after the mark",
    DurabilityMutations.DeletedBySweep,
    in = Settings.renaming.merging
  )

  caught(
    "a batch counts as the one of its number in the log",
    LedgerMutations.DigestsIgnored,
    in = Settings.checkpoint(CheckpointFate.Restored)
  )
  caught("a driver that is fenced calls its epoch committed", LedgerMutations.FencedAnswers)
  caught(
    "a claim carries out one record and takes its place behind another",
    LedgerMutations.ClaimLooksTwice,
    from = 40,
    in = Settings.twoSinks(StoreKind.Replacing)
  )
  caught(
    "no process notes which parts have been visible",
    LedgerMutations.NothingNotedVisible,
    in = Settings.markers(StoreKind.Replacing, Readers.ByManifest)
  )
  caught(
    "where parts are copied, one can be published again",
    new LedgerMutations.PublishedAgain,
    in = Settings.readers(StoreKind.Copying, Readers.AtOnce)
  )

  /** @param from a seed a little before the first that fails, so that the walk to it costs little
    * @param mutation of its own for each schedule, where it remembers something
    * @param in   the worlds in which it is looked for
    */
  private def caught(what: String, mutation: => Mutation, from: Int = 0, in: Setting = Setting.plain): Unit =
    test(s"is caught: $what") {
      Search.walk(seeds.map(_ + from))(
        Simulation.run(_, mutation, _, Tracing.Off, in)
      ) match {
        case Some(failure) => info(s"seed ${failure.seed}: ${failure.problem.getMessage}")
        case None          => fail(s"not caught within ${seeds.size} schedules")
      }
    }
}
