// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.util.control.NonFatal

import stoplog.commit._
import stoplog.fault.Step
import stoplog.storage.PartStore
import stoplog.writing.PartFormat

/** Merges parts as an actor of its own, which may sleep or die like any other. */
final class SimCompactionRunner(
    world: World,
    session: Session,
    parts: PartStore,
    format: () => PartFormat[String]
) extends CompactionRunner {
  import world.{disk, op, scheduler}

  override def start(task: CompactionTask): RunningCompaction = {
    val running = new Running(task)
    running.actor = Some(
      scheduler.spawn(s"merge of ${session.run.value.toInt}", session.executor())(running.run())
    )
    session.process.shares(running.outcomeNow)
    running
  }

  private final class Running(task: CompactionTask) extends RunningCompaction {
    var actor: Option[Actor]                                      = None
    private var outcome: Option[Either[Throwable, CompactedPart]] = None

    def run(): Unit = {
      val made: Either[Throwable, CompactedPart] =
        try Right(PartWriting.write(task.part, rows(), format(), parts)(world.faults.at(Step.MidCompaction)))
        catch { case NonFatal(e) => Left(e) }
      if (world.saw(outcome.isEmpty)) outcome = Some(made)
    }

    def outcomeNow: Any = (outcome, actor.exists(isGone))

    override def result: Option[Either[Throwable, CompactedPart]] = world.saw(resultNow)

    private def resultNow: Option[Either[Throwable, CompactedPart]] = {
      if (outcome.isEmpty && actor.exists(isGone))
        outcome = Some(Left(new RuntimeException("the merge has died")))
      outcome
    }

    /** Who sleeps is taken for dead. */
    override def await(): Unit = {
      scheduler.awaitUntil(() => resultNow.nonEmpty || actor.exists(scheduler.isAsleep))
      if (world.saw(outcome.isEmpty)) outcome = Some(Left(new RuntimeException("the merge was given up")))
    }

    private def rows(): Vector[String] = task.inputs.flatMap { part =>
      op(s"read ${part.path}") {
        val inode = disk.finished.getOrElse(part.path, throw new RuntimeException(s"no ${part.path}"))
        inode.rows(inode.length)
      }
    }
  }

  private def isGone(actor: Actor): Boolean = actor.dead || actor.done || !actor.process.alive
}
