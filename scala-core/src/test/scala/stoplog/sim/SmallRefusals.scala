// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.commit.Finish

/** A directory whose files can never be moved or deleted, and jobs that are to replace them: the record is called off, the old
  * files stay visible, and everybody can continue.
  */
final case class SmallRefusals(store: StoreKind, refusals: Refusals, work: SmallRefusals.Work)
    extends SmallWorld {
  import SmallRefusals._

  override def toString: String = s"$work where files stay, $refusals, $store"

  override protected def traits: WorldTraits = work match {
    case Work.Overwrites => SmallWorld.traits
    case Work.Merges     => SmallWorld.traits.copy(compaction = Some(SmallWorld.eager))
  }

  override protected def surroundings: WorldConditions = WorldConditions(store = store, refusals = refusals)

  override protected def begin(world: World, mutation: Mutation): () => Vector[SimProcess] = work match {
    case Work.Overwrites => overwrites(world, mutation)
    case Work.Merges     => compactions(world, mutation)
  }

  /** The directory with the other file is as it should be. */
  private def overwrites(world: World, mutation: Mutation): () => Vector[SimProcess] = {
    SmallCompactions.files(world, "a/0", "b/0")
    val jobs = Vector("1", "2").map { n =>
      val job = new SimProcess(s"job $n")
      world.scheduler.spawn(job.name, job) {
        new SimBatch(world, s"batch-$n", JobOrder.Effect.Replaces, mutation).run()
        job.alive = false
      }
      job
    }
    () => jobs.filter(_.alive)
  }

  private def compactions(world: World, mutation: Mutation): () => Vector[SimProcess] = {
    val query = new Session(
      world,
      new SimProcess("query"),
      mutation,
      executorCount = 0,
      SmallWorld.load,
      Simulation.Content,
      Ending.Finish(Finish.PublishOpen),
      world.checkpoint
    )
    query.start()
    () => if (query.isOver) Vector.empty else Vector(query.process)
  }

  override protected def end(world: World, mutation: Mutation): Unit = work match {
    case Work.Overwrites => SmallBatchJobs.later(world, Vector("a:0", "b:0"), mutation)
    case Work.Merges     =>
      new CleanRun(world, mutation).go(SmallWorld.load.copy(epochs = 3, upTo = 3))
      world.oracle.complete(world.disk, world.checkpoint)
  }

  override def holes: Vector[Hole] = Vector.empty
}

object SmallRefusals {

  sealed trait Work extends Product with Serializable
  object Work {
    case object Overwrites extends Work { override def toString: String = "overwrites"          }
    case object Merges     extends Work { override def toString: String = "a query that merges" }
  }

  val all: Vector[SmallRefusals] = for {
    store         <- StoreKind.all
    (work, where) <- Vector(Work.Overwrites -> "b", Work.Merges -> "a")
    refusals      <- Vector(Refusals.OtherDevice(where), Refusals.NoRight(where))
  } yield SmallRefusals(store, refusals, work)
}
