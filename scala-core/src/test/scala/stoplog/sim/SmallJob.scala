// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.util.control.NonFatal

import stoplog.commit.JobCommit.Replacing
import stoplog.commit._
import stoplog.part.PartNaming

/** A batch job of one task with one row, as `FileEngineSink` runs it. */
private[sim] final class SmallJob(world: World, name: String, mutation: Mutation) {
  private val stores = new SimStores(world, mutation, name)
  private val commit = SimDriver.job(world, world.nextRun(), stores, new SimJobs(world, name))

  def write(replacing: Replacing): Unit = {
    val plan   = commit.begin(slots = 1)
    val writer = new TaskWriter[String](
      TaskPlans.of(plan).forTask(0, Attempt.First),
      stores.parts,
      new SpoolWriter(stores.spoolFiles, world.faults, 2),
      LineFormat,
      TaskWriter.Rules(SimPolicy.onCheckpoint, PartNaming("part", ""), 1, _ => (), () => ()),
      TaskWriter.Tools(world.clock, world.faults)
    )
    writer.write("a", s"a:$name")
    val results = Seq(writer.commit())
    if (replacing == Replacing.Everything) fence()
    commit.commit(results, replacing)
  }

  private def fence(): Unit = {
    val compaction =
      SimDriver.compaction(world, world.nextRun(), new SimStores(world, mutation, DiskLog.Compact))
    val notes = mutation.notes(world, new SimNotes(world))
    def sinks = Map(DiskLog.Main -> new SimStores(world, mutation).commits)
    new Overwrite("sink", name, notes, () => mutation.overwritten(sinks), compaction).begin()
  }

  def rollForward(): Unit = commit.rollForward()
}

private[sim] object SmallJob {

  /** What earlier jobs have left undone is carried out, and then a row is added. */
  def next(world: World, name: String, mutation: Mutation): Unit =
    try {
      SimJobs.names(world).foreach(new SmallJob(world, _, mutation).rollForward())
      new SmallJob(world, name, mutation).write(Replacing.Nothing)
    } catch { case NonFatal(e) => world.note(s"failed: $e") }
}
