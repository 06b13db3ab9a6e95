// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.util.control.NonFatal

import stoplog.commit.JobCommit.Replacing
import stoplog.commit.Finish
import stoplog.commit._
import stoplog.part.PartNaming

/** A batch job that overwrites a directory into which a query writes. Another job, which adds to it, carries out what it
  * left undone.
  */
final case class SmallOverwrites(store: StoreKind, listing: Listing) extends SmallWorld {
  override def toString: String = s"an overwrite beside a query, $store, $listing"

  /** What the overwrite takes, the query may find gone before its record is marked: as with any reader. */
  override protected def surroundings: Surroundings =
    Surroundings(store = store, listing = listing, readers = Readers.AtOnce)

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
      write(world, "batch-1", Replacing.Everything, mutation)
      job.alive = false
    }
    () => (if (query.isOver) Vector.empty else Vector(query.process)) ++ Vector(job).filter(_.alive)
  }

  override protected def end(world: World, mutation: Mutation): Unit = {
    world.scheduler.spawn("next job", new SimProcess("next job")) {
      world.disk.logs.keys
        .filter(_.startsWith(JobCommit.Prefix))
        .toVector
        .foreach(earlier(world, _, mutation).rollForward())
      write(world, "batch-2", Replacing.Nothing, mutation)
    }
    world.scheduler.awaitQuiet()
    new CleanRun(world, mutation).go(SmallWorld.load.copy(epochs = 3, upTo = 3))
    if (store == StoreKind.Copying) world.oracle.givesUpJobs()
    world.oracle.complete(world.disk, world.checkpoint)
  }

  override def holes: Vector[Hole] = Vector.empty

  private def earlier(world: World, name: String, mutation: Mutation): JobCommit =
    SimDriver.job(world, world.nextRun(), new SimStores(world, mutation, name), new SimJobs(world, name))

  private def write(world: World, name: String, replacing: Replacing, mutation: Mutation): Unit =
    try {
      val run    = world.nextRun()
      val stores = new SimStores(world, mutation, name)
      val job    = SimDriver.job(world, run, stores, new SimJobs(world, name))
      val plan   = job.begin(slots = 1)
      val writer = new TaskWriter[String](
        plan.forTask(0, Attempt.First),
        stores.parts,
        new SpoolWriter(stores.spoolFiles, world.faults, 2),
        LineFormat,
        TaskWriter.Rules(SimPolicy.onCheckpoint, PartNaming("part", ""), 1, _ => (), () => ()),
        TaskWriter.Tools(world.clock, world.faults)
      )
      writer.write("a", s"a:$name")
      job.commit(Seq(writer.commit()), replacing)
    } catch { case NonFatal(e) => world.note(s"failed: $e") }
}

object SmallOverwrites {
  val all: Vector[SmallOverwrites] = for {
    store   <- StoreKind.all
    listing <-
      if (store == StoreKind.Replacing) Vector(Listing.OldestFirst, Listing.NewestFirst)
      else Vector(Listing.OldestFirst)
  } yield SmallOverwrites(store, listing)
}
