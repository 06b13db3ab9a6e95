// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.commit.CompactionPolicy
import stoplog.commit.SinkDriver.Finish
import stoplog.commit.complete.CompleteRule

/** Two drivers of one query with two epochs of two tasks each, one reader, and merges of what they publish: few enough
  * steps to try every schedule. When all have ended, a clean run goes on from there, and the oracle has the last word.
  */
final case class SmallWorld(
    store: StoreKind,
    policy: SmallWorld.Parts,
    taking: Taking,
    merges: SmallWorld.Merges
) {
  override def toString: String = s"$store, $policy, ${taking}s, $merges"

  def run(lane: Lane, chooser: WalkChooser, tracing: Tracing = Tracing.Off): Outcome = {
    val world = new World(seed = 0, lane, tracing, setting, Some(chooser))
    try {
      world.scheduler.run(Simulation.Main)(scenario(world, chooser))
      Outcome.Passed(world.scheduler.steps, world.oracle.visible, world.trace)
    } catch { case e: Throwable => Outcome.Failed(0, e, world.trace) }
  }

  private def scenario(world: World, chooser: WalkChooser): Unit = {
    import world.scheduler
    world.calm()
    val sessions = Vector("one", "two").map { name =>
      new Session(
        world,
        new SimProcess(name),
        Mutation.None,
        executorCount = 0,
        Load(epochs = 2, upTo = 2, rowsAtMost = 2, slotsAtMost = 2, Share.Even),
        Simulation.Content,
        Ending.Finish(Finish.PublishOpen),
        world.checkpoint
      )
    }
    chooser
      .watch(() => world.touchesStorage, () => sessions.filterNot(_.isOver).map(_.process))(scheduler.kill)
    scheduler.onStep(() => chooser.mayDie())
    sessions.foreach(_.start())
    scheduler.spawn("reader", new SimProcess("outside"))(read(world))
    scheduler.awaitQuiet()
    chooser.rest()
    new CleanRun(world, Mutation.None)
      .go(Load(epochs = 3, upTo = 3, rowsAtMost = 2, slotsAtMost = 2, Share.Even))
    world.oracle.complete(world.disk, world.checkpoint)
  }

  /** Comes once, and takes what it sees. */
  private def read(world: World): Unit = {
    world.scheduler.awaitUntil(() => world.disk.finished.nonEmpty)
    world.disk.finished.keys.toVector.foreach { name =>
      world.op(s"take $name away")(world.disk.take(name, taking))
    }
  }

  private def setting: Setting = Setting(
    toString,
    _ => Surroundings(store = store, readers = Readers.AtOnce),
    _ => SmallWorld.traits(policy, merges),
    _ => CompleteRule.Never
  )
}

object SmallWorld {

  /** Whether a part outlives its epoch. */
  sealed trait Parts extends Product with Serializable
  object Parts {
    case object EndWithEpochs extends Parts
    case object StayOpen      extends Parts
  }

  sealed trait Merges extends Product with Serializable
  object Merges {
    case object Off extends Merges
    case object On  extends Merges
  }

  val all: Vector[SmallWorld] = for {
    store  <- StoreKind.all
    parts  <- Vector(Parts.EndWithEpochs, Parts.StayOpen)
    taking <- if (store == StoreKind.Copying) Vector(Taking.Delete) else Vector(Taking.Move, Taking.Delete)
    merges <- Vector(Merges.Off, Merges.On)
  } yield SmallWorld(store, parts, taking, merges)

  private def traits(parts: Parts, merges: Merges): Traits = Traits(
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
    policy = parts match {
      case Parts.EndWithEpochs => SimPolicy.onCheckpoint
      case Parts.StayOpen      => SimPolicy.never
    },
    storageClockSkewMillis = 0,
    longSleep = LongSleep.ToTheEnd,
    format = SimFormat.Lines,
    sideFilesTogether = 2,
    compaction = merges match {
      case Merges.Off => None
      case Merges.On  =>
        Some(CompactionPolicy(smallerThanBytes = 300, targetBytes = 600, afterEpochs = 0, minFiles = 2))
    }
  )
}
