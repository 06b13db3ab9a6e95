// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.error.Log
import stoplog.fault.Step
import stoplog.log.RecordKind
import stoplog.part.{FinishedPart, RunId}
import stoplog.storage.JobDirectory

/** A batch job that compacts files of a path. Each compaction is a separate record of [[Replacements]].
  *
  * @param stores the stores of the job, which has a directory like any batch job
  */
private[stoplog] final class CompactionJob(
    run: RunId,
    identity: SinkIdentity,
    stores: SinkStores,
    job: JobDirectory,
    logs: PathLogs,
    tools: DriverTools
) {
  private val replacements =
    new Replacements(logs, FollowUps.none(identity.sinkId, logs.files), LostPart.Fail, tools)
  private val finished = logs.replacing(identity.sinkId, RecordKind.Compact).finished

  private val presence = new JobPresence(run, identity, stores.parts, job, tools)

  /** Carries out the decision of an earlier job. */
  def recover(): Unit = replacements.recover(): Unit

  /** Announces the job as alive and as replacing files. */
  def begin(): Unit = {
    presence.enter()
    job.announce()
  }

  /** Replaces the inputs by the compacted file. Returns `false` if an input has changed, if a query may
    * compact an input, or if the record was called off.
    *
    * Errors: those of [[Replacements.decide]] and [[Replacements.carryOut]].
    */
  def replace(task: CompactionTask, compacted: CompactedPart): Boolean = {
    tools.faults.at(Step.BeforeCompact)
    replacements.decide(new Compacting(task, compacted)).exists { record =>
      replacements.carryOut(record) match {
        case _: Settled.Shown     => true
        case _: Settled.CalledOff => false
      }
    }
  }

  /** Returns whether all inputs still exist with the same lengths. */
  def isCurrent(task: CompactionTask): Boolean = task.changed(finished).isEmpty

  /** Withdraws a failed job, unless its record is pending. Deletes nothing (I5): tasks may still write. */
  def abort(): Unit = {
    presence.leave()
    if (!replacements.isPending(identity.sinkId)) job.takeBack()
  }

  /** Ends the job and deletes its directory. All decisions of the job are carried out by then. */
  def end(): Unit = {
    presence.leave()
    Log.tolerating(
      s"The directory of ${identity.sinkId} under ${identity.path} could not be removed: the next batch " +
        "job removes it"
    )(presence.remove())
  }

  private final class Compacting(task: CompactionTask, compacted: CompactedPart) extends Replacements.Plan {
    override def job: String      = identity.sinkId
    override def run: RunId       = CompactionJob.this.run
    override def kind: RecordKind = RecordKind.Compact

    override def files(isFree: String => Boolean): Option[Vector[FinishedPart]] = {
      val same = task.inputs.forall(part => isFree(part.path)) && isCurrent(task)
      Option.when(same && ReplacedSet.of(task.inputs, finished).isRight)(task.inputs)
    }

    override def content(files: ReplacedSet): Replacements.Content =
      Replacements.Content(Vector(task.pending(compacted, tools.clock.millis())))
  }
}
