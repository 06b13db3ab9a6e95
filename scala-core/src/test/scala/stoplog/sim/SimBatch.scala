// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.util.control.NonFatal

import org.apache.spark.SparkThrowable

import stoplog.commit.JobCommit.Replacing
import stoplog.commit._
import stoplog.error.Errors
import stoplog.part.PartNaming
import stoplog.plan.{Attempt, EpochPlan, TaskPlans, TaskResult}
import stoplog.storage.VisibleFiles.Scope
import stoplog.writing.{SpoolWriter, TaskWriter}

/** A batch job of one task, in the steps of `FileJob`: what it does to the rows under the path, and what it reports. The one
  * place where the batch jobs of small worlds meet the production classes.
  */
private[sim] final class SimBatch(world: World, name: String, effect: JobOrder.Effect, mutation: Mutation) {
  import SimBatch._

  private val commit = commitOf(name)
  private val rows   = buckets.map(bucket => Row(bucket, s"$bucket:$name"))

  private def buckets: Vector[String] = effect match {
    case JobOrder.Effect.ReplacesPartition => Vector(JobOrder.Effect.ReplacesPartition.Bucket)
    case _                                 => Vector("a", "b")
  }

  private def replacing: Replacing = effect match {
    case JobOrder.Effect.Adds              => Replacing.Nothing
    case JobOrder.Effect.Replaces          => Replacing.Everything
    case JobOrder.Effect.ReplacesPartition => Replacing.Within(Scope.Directories(buckets))
  }

  private def replaces = effect != JobOrder.Effect.Adds

  /** Reports what a scheduler gets to know. */
  def run(): Unit = {
    world.jobs.begun(name, effect, rows.map(_.text))
    try {
      work()
      world.jobs.ended(name, JobOrder.Outcome.Succeeded)
    } catch {
      case NonFatal(e) =>
        world.note(s"failed: $e")
        world.jobs.ended(name, if (isKnown(e)) JobOrder.Outcome.Failed else JobOrder.Outcome.Unknown)
    }
  }

  private def work(): Unit = {
    if (replaces) {
      new SimJobs(world, name, new SimLogs(world, mutation).files, mutation).listed("sink", Scope.Whole): Unit
      refuseParts()
    }
    tidyUpOthers()
    val results = Seq(written(commit.begin(slots = 1)))
    commit.commit(results, replacing): Unit
    if (replaces) tidyUpOthers()
  }

  private def tidyUpOthers(): Unit = {
    commit.recoverReplacements()
    JobCommit.rollForward(SimJobs.names(world).filterNot(_ == name).map(commitOf))
  }

  private def commitOf(job: String): JobCommit = SimDriver.job(world, world.nextRun(), job, mutation)

  private def written(plan: EpochPlan): TaskResult = {
    val stores = new SimStores(world, mutation, name)
    val writer = new TaskWriter[String](
      TaskPlans.of(plan).forTask(0, Attempt.First),
      stores.parts,
      new SpoolWriter(stores.spoolFiles, world.faults, 2),
      LineFormat,
      TaskWriter.Rules(SimPolicy.onCheckpoint, PartNaming("part", ""), rows.size, _ => (), () => ()),
      TaskWriter.Tools(world.clock, world.faults)
    )
    rows.foreach(row => writer.write(row.bucket, row.text))
    writer.commit()
  }

  private def refuseParts(): Unit =
    new SimLogs(world, mutation).streams.valuesIterator.flatMap(_.newest()).foreach { newest =>
      if (newest.state.open.nonEmpty && newest.state.settings.contains(InBuckets))
        throw Errors.pathNotWritable("sink", "a sink has open parts between the finished ones")
    }
}

private[sim] object SimBatch {
  private val InBuckets = "inProgress"

  /** In the records of a query whose unfinished parts are next to the finished ones. */
  def noted(world: World): Map[String, String] = world.surroundings.unfinished match {
    case Unfinished.InStaging => Map.empty
    case Unfinished.InBuckets => Map(InBuckets -> "bucket")
  }

  /** Whether it is known that the job has decided nothing, or that its decision was called off. */
  private def isKnown(e: Throwable): Boolean = e match {
    case named: SparkThrowable =>
      !Set("STOPLOG_BATCH_DECIDED", "STOPLOG_BATCH_UNKNOWN").contains(named.getCondition)
    case _ => false
  }
}
