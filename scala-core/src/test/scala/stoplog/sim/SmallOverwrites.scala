// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.util.control.NonFatal

import stoplog.commit.Finish
import stoplog.commit.JobCommit.Replacing

/** A batch job that overwrites a directory into which a query writes. Another job, which adds to it, carries out what it
  * left undone.
  *
  * @param merges of the query
  */
final case class SmallOverwrites(store: StoreKind, listing: Listing, merges: SmallQueries.Compactions)
    extends SmallWorld {
  override def toString: String = merges match {
    case SmallQueries.Compactions.NoCompaction => s"an overwrite beside a query, $store, $listing"
    case SmallQueries.Compactions.Compacting   => s"an overwrite beside a query that merges, $store, $listing"
  }

  override protected def traits: WorldTraits = merges match {
    case SmallQueries.Compactions.NoCompaction => SmallWorld.traits
    case SmallQueries.Compactions.Compacting   => SmallWorld.traits.copy(compaction = Some(SmallWorld.eager))
  }

  /** What the overwrite takes, the query may find gone before its record is marked: as with any reader. */
  override protected def surroundings: WorldConditions =
    WorldConditions(store = store, listing = listing, readers = Readers.AtOnce)

  override protected def begin(world: World, mutation: Mutation): () => Vector[SimProcess] = {
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
    val job = new SimProcess("job")
    query.start()
    world.scheduler.spawn("job", job) {
      try new SmallJob(world, "batch-1", mutation).write(Replacing.Everything)
      catch { case NonFatal(e) => world.note(s"failed: $e") }
      job.alive = false
    }
    () => (if (query.isOver) Vector.empty else Vector(query.process)) ++ Vector(job).filter(_.alive)
  }

  override protected def end(world: World, mutation: Mutation): Unit = {
    world.scheduler.spawn("next job", new SimProcess("next job"))(SmallJob.next(world, "batch-2", mutation))
    world.scheduler.awaitQuiet()
    new CleanRun(world, mutation).go(SmallWorld.load.copy(epochs = 3, upTo = 3))
    if (store == StoreKind.Copying) world.oracle.givesUpJobs()
    world.oracle.complete(world.disk, world.checkpoint)
  }

  override def holes: Vector[Hole] = Vector.empty
}

object SmallOverwrites {
  val all: Vector[SmallOverwrites] = for {
    merges  <- Vector(SmallQueries.Compactions.NoCompaction, SmallQueries.Compactions.Compacting)
    store   <- StoreKind.all
    listing <-
      if (store == StoreKind.Replacing) Vector(Listing.OldestFirst, Listing.NewestFirst)
      else Vector(Listing.OldestFirst)
  } yield SmallOverwrites(store, listing, merges)
}
