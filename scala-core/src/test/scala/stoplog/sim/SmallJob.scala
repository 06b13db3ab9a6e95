// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.util.control.NonFatal

import stoplog.commit.JobCommit.Replacing
import stoplog.part.PartNaming
import stoplog.plan.{Attempt, TaskPlans}
import stoplog.writing.{SpoolWriter, TaskWriter}

/** A batch job of one task with one row, as `FileEngineSink` runs it. */
private[sim] final class SmallJob(world: World, name: String, mutation: Mutation) {
  private val stores = new SimStores(world, mutation, name)
  private val commit = SimDriver.job(world, world.nextRun(), name, mutation)

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
    writer.write(SmallJob.Bucket, s"${SmallJob.Bucket}:$name")
    val results = Seq(writer.commit())
    commit.commit(results, replacing): Unit
  }

  def rollForward(): Unit = commit.rollForward()
}

private[sim] object SmallJob {

  /** In which all jobs write. */
  val Bucket: String = "a"

  /** What earlier jobs have left undone is carried out, and then a row is added. */
  def next(world: World, name: String, mutation: Mutation): Unit =
    try {
      SimJobs.names(world).foreach(new SmallJob(world, _, mutation).rollForward())
      new SmallJob(world, name, mutation).write(Replacing.Nothing)
    } catch { case NonFatal(e) => world.note(s"failed: $e") }
}
