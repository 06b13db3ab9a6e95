// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.commit.{CompactionPolicy, CompleteRule}

/** A world with so few steps that every schedule can be tried. Some actors work, and may die; when all have ended,
  * somebody goes on from there undisturbed, and the oracle has the last word.
  */
private[stoplog] trait SmallWorld {

  /** What the world is made of. */
  protected def surroundings: WorldConditions

  protected def traits: WorldTraits = SmallWorld.traits

  protected def rule: CompleteRule = CompleteRule.Never

  /** Begins the work; answers the processes that may die now. */
  protected def begin(world: World, mutation: Mutation): () => Vector[SimProcess]

  /** When all have ended. */
  protected def end(world: World, mutation: Mutation): Unit

  /** What goes wrong in it today. */
  def holes: Vector[Hole]

  def run(
      lane: Lane,
      chooser: WalkChooser,
      tracing: Tracing = Tracing.Off,
      mutation: Mutation = Mutation.None
  ): Outcome = {
    val setting = Setting(toString, _ => surroundings, _ => traits, _ => rule)
    val world   = new World(seed = 0, lane, tracing, setting, Some(chooser))
    try {
      world.scheduler.run(Simulation.Main) {
        world.calm()
        val mortal = begin(world, mutation)
        chooser.watch(world, mortal)
        world.scheduler.awaitQuiet()
        chooser.rest()
        end(world, mutation)
      }
      Outcome.Passed(world.scheduler.steps, world.oracle.visible, world.trace)
    } catch { case e: Throwable => Outcome.Failed(0, e, world.trace) }
  }
}

/** A hole that is known and open.
  *
  * @param number of the page that tells it
  * @param says   what the oracle says about it
  */
final case class Hole(number: String, says: String) {

  /** Where this is so. */
  def of(isOpen: Boolean): Option[Hole] = Option.when(isOpen)(this)
}

object SmallWorld {

  /** Batch jobs at a time, beside hidden files, where files cannot be moved, and with companions. */
  private val jobs: Vector[SmallWorld] =
    SmallBatchJobs.all ++ SmallHidden.all ++ SmallRefusals.all ++ SmallLengths.all

  private val others: Vector[SmallWorld] =
    SmallCompactions.all ++ SmallOverwrites.all ++ SmallReplacements.all ++ SmallMarkers.all ++ jobs

  val all: Vector[SmallWorld] = others ++ SmallQueries.all

  /** One of each kind of store and of work. */
  val sample: Vector[SmallWorld] = others ++ SmallQueries.all.filter { world =>
    world.merges == SmallQueries.Compactions.Compacting && world.taking == SmallQueries.Reading.Reader(
      Taking.Delete
    )
  }

  /** The same without parts that outlive their epochs, and batch jobs on one kind of store. */
  val small: Vector[SmallWorld] = sample.filter {
    case queries: SmallQueries =>
      queries.parts == SmallQueries.Parts.EndWithEpochs && queries.store != StoreKind.Copying
    case writes: SmallOverwrites =>
      writes.merges == SmallQueries.Compactions.NoCompaction || writes.store == StoreKind.Renaming
    case jobs: SmallBatchJobs   => jobs.store == StoreKind.Renaming
    case hidden: SmallHidden    => hidden.store == StoreKind.Renaming
    case refused: SmallRefusals => refused.store == StoreKind.Renaming
    case _                      => true
  }

  /** Of two slots and two rows, where each epoch publishes. */
  val traits: WorldTraits = WorldTraits(
    stickPercent = 0,
    chaosPerThousand = 0,
    chaosBudget = 0,
    faultsPerTenThousand = 0,
    buckets = 1,
    slots = 2,
    rowsAtMost = 2,
    batches = 2,
    sessions = 2,
    executors = 0,
    maxOpenParts = 2,
    policy = SimPolicy.onCheckpoint,
    storageClockSkewMillis = 0,
    longSleep = LongSleep.ToTheEnd,
    format = SimFormat.Lines,
    spoolFilesTogether = 2,
    compaction = None
  )

  /** Two parts of a bucket are merged as soon as they are there. */
  val eager: CompactionPolicy =
    CompactionPolicy(smallerThanBytes = 300, targetBytes = 600, afterEpochs = 0, minFiles = 2)

  /** Two epochs of two tasks. */
  val load: Load = Load(epochs = 2, upTo = 2, rowsAtMost = 2, slotsAtMost = 2, Share.Even)
}
