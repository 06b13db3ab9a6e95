// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

/** Batch jobs at a time on a directory with files, as a scheduler starts them that takes a living driver for dead: the jobs
  * that add and the jobs that replace, two of a kind being two tries of one job.
  */
final case class SmallBatchJobs(store: StoreKind, jobs: Vector[JobOrder.Effect]) extends SmallWorld {
  override def toString: String = s"batch jobs at a time, ${jobs.mkString(" and ")}, $store"

  override protected def surroundings: WorldConditions = WorldConditions(store = store)

  override protected def begin(world: World, mutation: Mutation): () => Vector[SimProcess] = {
    SmallCompactions.files(world, "a/0")
    val processes = jobs.zipWithIndex.map { case (effect, n) =>
      val process = new SimProcess(s"job ${n + 1}")
      world.scheduler.spawn(process.name, process) {
        new SimBatch(world, s"batch-${n + 1}", effect, mutation).run()
        process.alive = false
      }
      process
    }
    () => processes.filter(_.alive)
  }

  override protected def end(world: World, mutation: Mutation): Unit =
    SmallBatchJobs.later(world, Vector("a:0"), mutation)

  override def holes: Vector[Hole] = Vector.empty
}

object SmallBatchJobs {
  import JobOrder.Effect._

  val all: Vector[SmallBatchJobs] = for {
    store <- StoreKind.all
    jobs  <- Vector(
      Vector(Replaces, Adds),
      Vector(Replaces, Replaces),
      Vector(Adds, Adds),
      Vector(ReplacesPartition, Replaces),
      Vector(ReplacesPartition, Adds)
    )
  } yield SmallBatchJobs(store, jobs)

  /** What the jobs have left undone is carried out by a job that adds, days later. Readers see one order of all of them. */
  private[sim] def later(world: World, before: Vector[String], mutation: Mutation): Unit = {
    add(world, mutation)
    world.jobs.check(before, world.disk.visibleRows)
  }

  /** A job that adds, and carries out what others have left undone. */
  private[sim] def add(world: World, mutation: Mutation): Unit = {
    world.scheduler.spawn("later job", new SimProcess("later")) {
      new SimBatch(world, "batch-later", Adds, mutation).run()
    }
    world.scheduler.awaitQuiet()
  }
}
