// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import org.apache.logging.log4j.Level
import org.apache.logging.log4j.core.config.Configurator
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun

/** That a walk which ends what is known leaves nothing out, and that walks find what is wrong. */
class WalkSuite extends AnyFunSuite with BeforeAndAfterAll {
  import JobOrder.Effect._
  import StoreKind._
  import WalkSuite._

  // what merges and jobs say when they fail would be written some thousand times
  override protected def beforeAll(): Unit = Configurator.setLevel("stoplog", Level.OFF)
  override protected def afterAll(): Unit  = Configurator.setLevel("stoplog", Level.WARN)

  sound(queries(Replacing), Bounds(1, 1, 1))
  sound(SmallReplacements(Renaming), Bounds(1, 1, 1))

  sound(jobs(Replaces, Replaces), Bounds(1, 1, 1))

  sound(SmallCompactions(Renaming), Bounds(1, 1, 1), CompactionMutations.SetAsideBeforeRecord)
  sound(SmallCompactions(Replacing), Bounds(1, 1, 1), CompactionMutations.DeletedAtOnce)
  sound(queries(Replacing), Bounds(1, 1, 1), Mutations.PublishBeforeRecord)

  finds("parts are published before the record", queries(Replacing), Mutations.PublishBeforeRecord)
  finds("a start takes every record for published", queries(Replacing), Mutations.AlwaysMarked)
  finds("a record is marked with its first part", queries(Replacing), DurabilityMutations.MarkedWithFirstPart)
  finds(
    "parts are set aside before the record",
    SmallCompactions(Renaming),
    CompactionMutations.SetAsideBeforeRecord
  )
  finds(
    "parts are deleted before the merged one is visible",
    queries(Renaming),
    CompactionMutations.DeletedAtOnce
  )
  finds(
    "a merged part is published before the others are set aside",
    queries(Renaming),
    CompactionMutations.PublishBeforeSetAside
  )

  finds(
    "a merge that has lost an input to a reader is carried out",
    read(Renaming),
    LedgerMutations.NeverCalledOff,
    Bounds(1, 0, 1)
  )
  finds(
    "a job overwrites beside a query that merges",
    SmallOverwrites(Renaming, Listing.OldestFirst, SmallQueries.Compactions.Compacting),
    LedgerMutations.OverwriteDuringCompactions,
    Bounds(2, 0, 2)
  )
  for (writers <- Vector(SmallMarkers.Writers.TwoJobs, SmallMarkers.Writers.QueryAndJob)) {
    val markers = SmallMarkers(Replacing, writers)
    finds("a total is not that of the marker before", markers, AnnouncementMutations.LooksOnce)
    finds("a process does not know its marker again", markers, AnnouncementMutations.NeverItsOwn)
  }
  finds(
    "a job that replaces files looks into no log of another batch job",
    jobs(Replaces, Adds),
    JobMutations.JobsUnseen
  )
  finds(
    "a job does not announce that it replaces files",
    jobs(Replaces, Adds),
    LedgerMutations.OverwriteUnannounced
  )
  finds(
    "a job that replaces files carries out no earlier replacement",
    jobs(Replaces, Replaces),
    Mutations.AlwaysMarked
  )
  finds(
    "a job that replaces files names an open part",
    SmallHidden(Renaming, SmallHidden.Files.OpenParts),
    JobMutations.HiddenFilesListed
  )
  finds(
    "a job that replaces files names the log of another sink",
    SmallHidden(Renaming, SmallHidden.Files.SinkOfOthers),
    JobMutations.HiddenFilesListed
  )
  finds(
    "a batch compaction reads what was never committed",
    SmallLengths(Renaming),
    JobMutations.LengthsUnread
  )
  finds("a file that cannot be hidden stays visible", refused, JobMutations.HidingFails)
  finds("a replacement that is called off brings nothing back", refused, JobMutations.NothingComesBack)

  if (LongRun.isOn) {
    sound(SmallCompactions(Renaming), Bounds(2, 1, 2))
    sound(queries(Copying), Bounds(1, 1, 1))
    StoreKind.all.foreach(store => sound(SmallCompactions(store), Bounds(2, 1, 3)))
    finds("no claim is written", open(Replacing), Mutations.NoClaim, Bounds(2, 1, 2))
    finds("records are written over", queries(Replacing), RuleMutations.RecordsOverwritten, Bounds(2, 1, 2))
  }

  /** Both ways come to the same ends, and find the same. */
  private def sound(world: SmallWorld, bounds: Bounds, mutation: => Mutation = Mutation.None): Unit = {
    lazy val rule =
      if (mutation eq Mutation.None) "as it is" else mutation.getClass.getSimpleName.stripSuffix("$")
    test(s"the reduction finds the same ends and failures: $world, $rule, $bounds") {
      def walked(reduction: Reduction) =
        new Walk(world.run(_, _, Tracing.Off, mutation), bounds, reduction).toTheEnd()
      val all   = walked(Reduction.None)
      val fewer = walked(Reduction.BySeenStates)
      info(
        s"${all.schedules} schedules without, ${fewer.schedules} with, ${fewer.known} of them to a known state, " +
          s"${fewer.skipped} skipped, ${fewer.states} states, " +
          s"${all.ends.size} ends, ${all.failures.size} kinds of failures"
      )
      assert(fewer.ends === all.ends)
      assert(fewer.failures.map(kind).toSet === all.failures.map(kind).toSet)
      assert(fewer.known + fewer.skipped > 0 && all.known + all.skipped === 0)
    }
  }

  private def finds(
      what: String,
      world: SmallWorld,
      mutation: => Mutation,
      bounds: Bounds = Bounds(1, 1, 1)
  ): Unit =
    test(s"a walk of $world finds: $what") {
      val walked = new Walk(world.run(_, _, Tracing.Off, mutation), bounds).toTheEnd()
      assert(walked.failures.nonEmpty)
      info(
        s"${walked.failures.map(_.count).sum} of ${walked.schedules} schedules: ${walked.failures.head.problem}"
      )
    }
}

private[sim] object WalkSuite {
  def jobs(effects: JobOrder.Effect*): SmallBatchJobs =
    SmallBatchJobs(StoreKind.Renaming, effects.toVector)

  val refused: SmallRefusals =
    SmallRefusals(StoreKind.Renaming, Refusals.NoRight("b"), SmallRefusals.Work.Overwrites)

  def queries(store: StoreKind): SmallQueries = queries(store, SmallQueries.Parts.EndWithEpochs)

  def open(store: StoreKind): SmallQueries = queries(store, SmallQueries.Parts.StayOpen)

  private def queries(store: StoreKind, parts: SmallQueries.Parts): SmallQueries =
    SmallQueries(store, parts, SmallQueries.Reading.NoReader, SmallQueries.Compactions.Compacting)

  /** The same, where a reader moves what it sees. */
  def read(store: StoreKind): SmallWorld =
    queries(store).copy(taking = SmallQueries.Reading.Reader(Taking.Move))

  /** What it says, but for numbers. */
  def kind(failure: Failure): String = failure.problem.replaceAll("[0-9]+", "n")
}
