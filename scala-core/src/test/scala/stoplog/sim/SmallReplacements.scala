// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.util.control.NonFatal

import stoplog.commit.JobCommit.Replacing

/** A batch job that overwrites a directory with two small files, beside a run of the batch compaction. */
final case class SmallReplacements(store: StoreKind) extends SmallWorld {
  override def toString: String = s"an overwrite beside a batch compaction, $store"

  override protected def surroundings: WorldConditions = WorldConditions(store = store)

  override protected def begin(world: World, mutation: Mutation): () => Vector[SimProcess] = {
    SmallCompactions.twoFiles(world)
    val job        = new SimProcess("job")
    val compaction = new SimProcess("compaction")
    world.scheduler.spawn("job", job) {
      try new SmallJob(world, "batch-1", mutation).write(Replacing.Everything)
      catch { case NonFatal(e) => world.note(s"failed: $e") }
      job.alive = false
    }
    world.scheduler.spawn("compaction", compaction) {
      compact(world, mutation)
      compaction.alive = false
    }
    () => Vector(job, compaction).filter(_.alive)
  }

  override protected def end(world: World, mutation: Mutation): Unit = {
    world.scheduler.spawn("next job", new SimProcess("next job"))(SmallJob.next(world, "batch-2", mutation))
    world.scheduler.awaitQuiet()
    world.scheduler.spawn("clean compaction", new SimProcess("clean"))(compact(world, mutation))
    world.scheduler.awaitQuiet()
    if (store == StoreKind.Copying) world.oracle.givesUpJobs()
    world.oracle.whole()
  }

  override def holes: Vector[Hole] = Vector.empty

  private def compact(world: World, mutation: Mutation): Unit =
    SmallCompactions.compact(world, world.nextRun(), mutation)
}

object SmallReplacements {
  val all: Vector[SmallReplacements] = StoreKind.all.map(SmallReplacements(_))
}
