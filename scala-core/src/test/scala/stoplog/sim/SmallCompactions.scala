// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.util.control.NonFatal

import stoplog.commit._
import stoplog.part.RunId
import stoplog.storage.{NewPart, VisibleFile, VisibleFiles}

/** Two runs of the batch compaction on one directory with two small files. */
final case class SmallCompactions(store: StoreKind) extends SmallWorld {
  import SmallCompactions._

  override def toString: String = s"two batch compactions, $store"

  override protected def surroundings: WorldConditions = WorldConditions(store = store)

  override protected def begin(world: World, mutation: Mutation): () => Vector[SimProcess] = {
    twoFiles(world)
    val processes = Vector("one", "two").map(new SimProcess(_))
    processes.foreach { process =>
      val run = world.nextRun()
      world.scheduler.spawn(s"run ${process.name}", process)(compact(world, run, mutation))
    }
    () => processes.filter(_.alive)
  }

  override protected def end(world: World, mutation: Mutation): Unit = {
    world.scheduler.spawn("clean run", new SimProcess("clean"))(compact(world, world.nextRun(), mutation))
    world.scheduler.awaitQuiet()
    world.oracle.whole()
  }

  override def holes: Vector[Hole] = Vector.empty
}

object SmallCompactions {
  val all: Vector[SmallCompactions] = StoreKind.all.map(SmallCompactions(_))

  /** Two small files in one directory, which were there before. */
  private[sim] def twoFiles(world: World): Unit = files(world, "a/0", "a/1")

  private[sim] def files(world: World, names: String*): Unit = names.foreach { name =>
    val inode = Inode.of(name, s"${name.replace('/', ':')}\n".getBytes("UTF-8"), world.clock.millis())
    inode.finished = Some(name)
    world.disk.finished.update(name, inode)
    world.oracle.found(name, inode)
  }

  private[sim] def compact(world: World, run: RunId, mutation: Mutation): Unit =
    try {
      val parts  = new SimStores(world, mutation, s"${JobCommit.Prefix}compaction-${run.value}").parts
      val commit = SimDriver.compaction(world, run, mutation)
      commit.recover()
      commit.begin()
      due(world, run, mutation).foreach { case (merge, files) =>
        val rows = files.flatMap { file =>
          world.op(s"read ${file.path}") {
            val inode =
              world.disk.finished.getOrElse(file.path, throw new RuntimeException(s"no ${file.path}"))
            inode.rows(mutation.read(file).toInt)
          }
        }
        commit.replace(merge, PartWriting.write(merge.part, rows, LineFormat, parts)(()))
      }
      commit.end()
    } catch { case NonFatal(e) => world.note(s"failed: $e") }

  private def due(
      world: World,
      run: RunId,
      mutation: Mutation
  ): Option[(CompactionTask, Vector[VisibleFile])] = {
    val tree  = new SimTree(world, new SimLogs(world, mutation).files)
    val files = new VisibleFiles(tree).list(VisibleFiles.Scope.Whole).files
    Option.when(files.size > 1) {
      CompactionTask(files.map(_.asPart), NewPart("a", s"part-${run.uid}-m0", run)) -> files
    }
  }
}
