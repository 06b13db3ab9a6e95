// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.annotation.tailrec

import org.apache.spark.SparkThrowable

import stoplog.commit.{Finish, LostPart}

/** A run that nobody disturbs. It must not fail, unless it finds what only an operator can answer: then it does so
  * loudly, the operator answers as the documentation says, and the next one goes on.
  */
final class CleanRun(world: World, mutation: Mutation) {
  import world.{checkpoint, scheduler}

  def go(load: Load): Unit = attempt(load, CleanRun.AnswersAtMost, LostPart.Fail)

  @tailrec
  private def attempt(load: Load, answers: Int, onLost: LostPart): Unit = {
    val ending  = Ending.Finish(Finish.PublishOpen)
    val process = new SimProcess("clean")
    val session =
      new Session(world, process, mutation, 0, load, Simulation.Content, ending, checkpoint, onLost)
    session.start()
    scheduler.awaitQuiet()
    session.problems.headOption match {
      case None                   => if (!session.isOver) throw new Violation("a clean run does not end")
      case Some(e) if answers > 0 => attempt(load, answers - 1, answered(e))
      case Some(e)                => throw CleanRun.failed(e)
    }
  }

  private def answered(e: Throwable): LostPart = condition(e) match {
    case "STOPLOG_EPOCH_AHEAD" | "STOPLOG_EPOCH_REPLANNED" | "STOPLOG_EPOCH_GAP"
        if world.hasOtherCheckpoints =>
      world.note("### the operator brings the newest checkpoint")
      checkpoint.agreeWith(world.oracle.decidedBatches)
      LostPart.Fail
    case "STOPLOG_PART_SHARED" =>
      world.note("### the operator makes files of their own of unfinished ones with other names")
      world.disk.separate()
      LostPart.Fail
    case "STOPLOG_PART_LOST" if world.excusesLostParts =>
      world.note("### the operator goes on without a part that a reader has taken")
      LostPart.Skip
    case _ => throw CleanRun.failed(e)
  }

  private def condition(e: Throwable): String = e match {
    case known: SparkThrowable => known.getCondition
    case _                     => ""
  }
}

private object CleanRun {

  /** More often than that nobody asks what to do. */
  val AnswersAtMost = 3

  def failed(e: Throwable): Violation = new Violation(s"a clean run failed: $e")
}
