// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

/** A batch compaction of files with bytes that were never committed, of which a companion says how many count. */
final case class SmallLengths(store: StoreKind) extends SmallWorld {
  override def toString: String = s"a batch compaction of files with companions, $store"

  override protected def surroundings: WorldConditions =
    WorldConditions(store = store, cutting = Cutting.ByCompanion)

  override protected def begin(world: World, mutation: Mutation): () => Vector[SimProcess] = {
    Vector("a/0", "a/1").foreach { name =>
      val row   = s"${name.replace('/', ':')}\n"
      val inode = Inode.of(name, s"${row}a:uncommitted\n".getBytes("UTF-8"), world.clock.millis())
      inode.finished = Some(name)
      inode.valid = Some(row.length)
      world.disk.finished.update(name, inode)
      world.disk.lengths.update(name, row.length)
      world.oracle.found(name, inode)
    }
    val process = new SimProcess("compaction")
    world.scheduler.spawn("run", process) {
      SmallCompactions.compact(world, world.nextRun(), mutation)
      process.alive = false
    }
    () => Vector(process).filter(_.alive)
  }

  override protected def end(world: World, mutation: Mutation): Unit = {
    world.scheduler.spawn("clean run", new SimProcess("clean")) {
      SmallCompactions.compact(world, world.nextRun(), mutation)
    }
    world.scheduler.awaitQuiet()
    world.oracle.whole()
    val rows = world.disk.visibleRows.sorted
    if (rows != Vector("a:0", "a:1")) throw new Violation(s"${SmallLengths.Uncommitted}: $rows")
  }

  override def holes: Vector[Hole] = Vector.empty
}

object SmallLengths {

  /** Begins what is said of rows that no record has. */
  val Uncommitted: String = "readers see what was never committed"

  val all: Vector[SmallLengths] = Vector(StoreKind.Replacing, StoreKind.Renaming).map(SmallLengths(_))
}
