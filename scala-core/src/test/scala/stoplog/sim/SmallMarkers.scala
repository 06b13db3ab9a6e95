// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.util.control.NonFatal

import stoplog.commit.JobCommit.Replacing
import stoplog.commit.{CompleteRule, Finish}

/** Two writers of markers of one sink id: batch jobs that add to one bucket, or such a job beside the query. */
final case class SmallMarkers(store: StoreKind, writers: SmallMarkers.Writers) extends SmallWorld {
  import SmallMarkers._

  override def toString: String = s"two writers of markers, $store, $writers"

  override protected def surroundings: WorldConditions = WorldConditions(store = store)

  override protected def rule: CompleteRule = CompleteRule.ByIdleness(0)

  override protected def begin(world: World, mutation: Mutation): () => Vector[SimProcess] = {
    val first = writers match {
      case Writers.TwoJobs     => job(world, "batch-1", mutation)
      case Writers.QueryAndJob => query(world, mutation)
    }
    val second = job(world, "batch-2", mutation)
    () => first() ++ second()
  }

  override protected def end(world: World, mutation: Mutation): Unit = {
    world.scheduler.spawn("next job", new SimProcess("next job"))(SmallJob.next(world, "batch-3", mutation))
    world.scheduler.awaitQuiet()
    writers match {
      case Writers.TwoJobs     => ()
      case Writers.QueryAndJob =>
        new CleanRun(world, mutation).go(SmallWorld.load.copy(epochs = 3, upTo = 3))
        world.announced.complete(world.disk.notes.contains)
    }
    val counted = world.announced.counted(SmallJob.Bucket)
    val visible = world.oracle.visible
    if (counted != visible) throw new Violation(s"the newest marker counts $counted of $visible rows")
  }

  override def holes: Vector[Hole] = Vector.empty

  private def job(world: World, name: String, mutation: Mutation): () => Vector[SimProcess] = {
    val process = new SimProcess(name)
    world.scheduler.spawn(name, process) {
      try new SmallJob(world, name, mutation).write(Replacing.Nothing)
      catch { case NonFatal(e) => world.note(s"failed: $e") }
      process.alive = false
    }
    () => Vector(process).filter(_.alive)
  }

  private def query(world: World, mutation: Mutation): () => Vector[SimProcess] = {
    val session = new Session(
      world,
      new SimProcess("query"),
      mutation,
      executorCount = 0,
      SmallWorld.load,
      Simulation.Content,
      Ending.Finish(Finish.PublishOpen),
      world.checkpoint
    )
    session.start()
    () => if (session.isOver) Vector.empty else Vector(session.process)
  }
}

object SmallMarkers {
  sealed trait Writers extends Product with Serializable
  object Writers {
    case object TwoJobs     extends Writers
    case object QueryAndJob extends Writers
  }

  val all: Vector[SmallMarkers] = for {
    writers <- Vector(Writers.TwoJobs, Writers.QueryAndJob)
    store   <- Vector(StoreKind.Replacing)
  } yield SmallMarkers(store, writers)
}
