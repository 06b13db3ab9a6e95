// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.util.control.NonFatal

import stoplog.commit._
import stoplog.fault.Step
import stoplog.storage.PartStore
import stoplog.writing.PartFormat

/** Merges parts as an actor of its own, which may sleep or die like any other. */
final class SimMerger(world: World, session: Session, parts: PartStore, format: () => PartFormat[String])
    extends Merger {
  import world.{disk, op, scheduler}

  override def start(merge: Merge): Merging = {
    val merging = new Running(merge)
    merging.actor = Some(
      scheduler.spawn(s"merge of ${session.run.value.toInt}", session.executor())(merging.run())
    )
    session.process.shares(merging.outcomeNow)
    merging
  }

  private final class Running(merge: Merge) extends Merging {
    var actor: Option[Actor]                               = None
    private var outcome: Option[Either[Throwable, Merged]] = None

    def run(): Unit = {
      val made: Either[Throwable, Merged] =
        try Right(LivePartAccess.write(merge.part, rows(), format(), parts)(world.faults.at(Step.MidMerge)))
        catch { case NonFatal(e) => Left(e) }
      if (world.saw(outcome.isEmpty)) outcome = Some(made)
    }

    def outcomeNow: Any = (outcome, actor.exists(isGone))

    override def result: Option[Either[Throwable, Merged]] = world.saw(resultNow)

    private def resultNow: Option[Either[Throwable, Merged]] = {
      if (outcome.isEmpty && actor.exists(isGone))
        outcome = Some(Left(new RuntimeException("the merge has died")))
      outcome
    }

    /** Who sleeps is taken for dead. */
    override def await(): Unit = {
      scheduler.awaitUntil(() => resultNow.nonEmpty || actor.exists(scheduler.isAsleep))
      if (world.saw(outcome.isEmpty)) outcome = Some(Left(new RuntimeException("the merge was given up")))
    }

    private def rows(): Vector[String] = merge.inputs.flatMap { part =>
      op(s"read ${part.path}") {
        val inode = disk.finished.getOrElse(part.path, throw new RuntimeException(s"no ${part.path}"))
        inode.rows(inode.length)
      }
    }
  }

  private def isGone(actor: Actor): Boolean = actor.dead || actor.done || !actor.process.alive
}
