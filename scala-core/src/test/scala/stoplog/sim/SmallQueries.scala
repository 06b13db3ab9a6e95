// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.commit.Finish

/** Two drivers of one query with two epochs of two tasks each, one reader, and merges of what they publish. */
final case class SmallQueries(
    store: StoreKind,
    parts: SmallQueries.Parts,
    taking: SmallQueries.Reading,
    merges: SmallQueries.Compactions
) extends SmallWorld {
  import SmallQueries._

  override def toString: String = s"two drivers, $store, $parts, $taking, $merges"

  override protected def surroundings: WorldConditions =
    WorldConditions(store = store, readers = Readers.AtOnce)

  override protected def traits: WorldTraits = SmallWorld.traits.copy(
    policy = parts match {
      case Parts.EndWithEpochs => SimPolicy.onCheckpoint
      case Parts.StayOpen      => SimPolicy.never
    },
    compaction = merges match {
      case Compactions.NoCompaction => None
      case Compactions.Compacting   => Some(SmallWorld.eager)
    }
  )

  override protected def begin(world: World, mutation: Mutation): () => Vector[SimProcess] = {
    val sessions = Vector("one", "two").map { name =>
      new Session(
        world,
        new SimProcess(name),
        mutation,
        executorCount = 0,
        SmallWorld.load,
        Simulation.Content,
        Ending.Finish(Finish.PublishOpen),
        world.checkpoint
      )
    }
    sessions.foreach(_.start())
    taking match {
      case Reading.NoReader     => ()
      case Reading.Reader(does) =>
        world.scheduler.spawn("reader", new SimProcess("outside"))(read(world, does))
        ()
    }
    () => sessions.filterNot(_.isOver).map(_.process)
  }

  override protected def end(world: World, mutation: Mutation): Unit = {
    new CleanRun(world, mutation).go(SmallWorld.load.copy(epochs = 3, upTo = 3))
    world.oracle.complete(world.disk, world.checkpoint)
  }

  /** Where a part is copied aside, a merge that lost an input to a reader is not called off. No other file may show its rows. */
  override def holes: Vector[Hole] = Hole("decision 0028", ReaderView.CompactedShowsTaken)
    .of(store == StoreKind.Copying && merges == Compactions.Compacting && taking != Reading.NoReader)
    .toVector

  /** Comes once, and takes what it sees. */
  private def read(world: World, does: Taking): Unit = {
    world.scheduler.awaitUntil(() => world.disk.finished.nonEmpty)
    world.saw(world.disk.finished.keys.toVector).foreach { name =>
      world.op(s"take $name away")(world.disk.take(name, does))
    }
  }
}

object SmallQueries {

  /** Whether a part outlives its epoch. */
  sealed trait Parts extends Product with Serializable
  object Parts {
    case object EndWithEpochs extends Parts
    case object StayOpen      extends Parts
  }

  sealed trait Compactions extends Product with Serializable
  object Compactions {
    case object NoCompaction extends Compactions
    case object Compacting   extends Compactions
  }

  sealed trait Reading extends Product with Serializable
  object Reading {
    case object NoReader                  extends Reading
    final case class Reader(does: Taking) extends Reading
  }

  val all: Vector[SmallQueries] = for {
    store  <- StoreKind.all
    parts  <- Vector(Parts.EndWithEpochs, Parts.StayOpen)
    taking <- Vector(Reading.NoReader, Reading.Reader(Taking.Move), Reading.Reader(Taking.Delete))
    if store != StoreKind.Copying || taking != Reading.Reader(
      Taking.Move
    ) // where there are no links to count
    merges <- Vector(Compactions.NoCompaction, Compactions.Compacting)
  } yield SmallQueries(store, parts, taking, merges)
}
