// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.commit.Finish

/** A batch job that overwrites a directory with hidden files in it, beside a query that writes to the directory.
  *
  * @param files which of them there are
  */
final case class SmallHidden(store: StoreKind, files: SmallHidden.Files) extends SmallWorld {
  import SmallHidden._

  override def toString: String = s"an overwrite above hidden files, $files, $store"

  override protected def traits: WorldTraits = SmallWorld.traits.copy(policy = SimPolicy.never)

  override protected def surroundings: WorldConditions = WorldConditions(
    store = store,
    readers = Readers.AtOnce,
    unfinished = files match {
      case Files.OpenParts    => Unfinished.InBuckets
      case Files.SinkOfOthers => Unfinished.InStaging
    }
  )

  override protected def begin(world: World, mutation: Mutation): () => Vector[SimProcess] = {
    SmallCompactions.files(world, "a/0")
    if (files == Files.SinkOfOthers) nested(world)
    val job   = new SimProcess("job")
    val query = new Session(
      world,
      new SimProcess("query"),
      mutation,
      executorCount = 0,
      SmallWorld.load,
      Simulation.Content,
      Ending.Finish(Finish.KeepOpen),
      world.checkpoint
    )
    query.start()
    world.scheduler.spawn("job", job) {
      new SimBatch(world, "batch-1", JobOrder.Effect.Replaces, mutation).run()
      job.alive = false
    }
    () => (if (query.isOver) Vector.empty else Vector(query.process)) ++ Vector(job).filter(_.alive)
  }

  override protected def end(world: World, mutation: Mutation): Unit = {
    SmallBatchJobs.add(world, mutation)
    new CleanRun(world, mutation).go(SmallWorld.load.copy(epochs = 3, upTo = 3))
    world.oracle.complete(world.disk, world.checkpoint)
  }

  override def holes: Vector[Hole] = Vector.empty

  /** The log and an open part of a sink whose path is a directory that readers see. */
  private def nested(world: World): Unit =
    Vector("n/_stoplog/other/log/0.commit", "n/.part-1.open").foreach { path =>
      world.disk.hidden.update(path, Inode.of(path, "content".getBytes("UTF-8"), world.clock.millis()))
    }
}

object SmallHidden {

  sealed trait Files extends Product with Serializable
  object Files {

    /** The query's own, next to the finished files of their bucket. */
    case object OpenParts extends Files { override def toString: String = "open parts" }

    /** Those of a sink whose path is a directory below. */
    case object SinkOfOthers extends Files { override def toString: String = "another sink" }
  }

  val all: Vector[SmallHidden] = for {
    store <- StoreKind.all
    files <-
      if (store == StoreKind.Copying) Vector(Files.SinkOfOthers) // unfinished parts are no files there
      else Vector(Files.OpenParts, Files.SinkOfOthers)
  } yield SmallHidden(store, files)
}
