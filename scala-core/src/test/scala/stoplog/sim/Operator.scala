// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.util.control.NonFatal

import stoplog.commit._
import stoplog.fault.Faults
import stoplog.log.{LogRecord, SinkState}
import stoplog.part.RunId
import stoplog.thread.Parallel

/** Somebody at the command line: finishes open parts, removes orphans, hands the sink to the query that has it already,
  * sets it back or begins its log anew, merges the directory's files, or starts the query once more, whether or not a driver
  * is alive.
  */
final class Operator(val world: World, mutation: Mutation, act: Operator.Act) {
  import world.scheduler

  private val run: RunId = world.nextRun()
  private val process    = new SimProcess(s"tool ${run.value.toInt}")
  private val stores     = new SimStores(world, mutation)
  import stores.{commits, finished, parts, spoolFiles}

  def start(): Unit = {
    scheduler.spawn(s"tool ${run.value.toInt}", process) {
      world.note(s"### a tool starts: $act")
      try
        act match {
          case Operator.Compact => new SimDirectoryCompaction(world, run, mutation).run()
          case _                => commits.newest().foreach(work)
        }
      catch { case NonFatal(e) => noted(e) }
    }
    ()
  }

  private def work(newest: LogRecord): Unit = {
    lazy val tool = SimDriver.toolRun(world, run, newest, stores, mutation)
    act match {
      case Operator.Finalize =>
        world.pause("somebody reads the plan")
        tool.claim()
        tool.finishOpen()
        tool.release(identity)
        world.note("a tool has finished what was open")
      case Operator.Republish =>
        SimDriver.recover(world, run, newest, stores, mutation)
        world.note("a second start has published what was decided")
      case Operator.Adopt =>
        val next    = world.checkpoint.nextBatch
        val planned = new Planned(next, batch => world.checkpoint.planned(batch).map(SimDriver.digest))
        val check   = new StartCheck(SinkIdentity("sink", world.sinkId, "query"), () => commits.all())
        def after(state: SinkState) = check.handOver(state, mutation.handsOver, planned)
        after(newest.state): Unit
        world.pause("somebody reads the plan")
        tool.claim()
        tool.release(_.copy(newest = after(tool.state)))
        world.note(s"a tool has handed the sink to its query at batch $next")
      case Operator.Clean =>
        val planned = orphans()
        world.pause("somebody reads the plan")
        mutation.clean(planned, parts) {
          tool.claim()
          val count = tool.sweep()
          tool.release(identity)
          world.note(s"a tool has removed $count orphans")
        }
      case Operator.Rewind  => new RewindTool(world, run, mutation).rewind(newest)
      case Operator.Reset   => new RewindTool(world, run, mutation).reset()
      case Operator.Compact => ()
    }
  }

  private def orphans(): Vector[String] =
    new OrphanCleaner(
      SinkStores.of(commits, parts, spoolFiles, finished),
      commits,
      Parallel.sequential,
      world.clock,
      Faults.none
    ).look()
      .collect {
        case OrphanCleaner.Judged(found, OrphanCleaner.OrphanStatus.Orphan)
            if found.kind == OrphanCleaner.Kind.Part =>
          found.name
      }

  /** A tool that holds the newest record may fail by what the world did to it, and by nothing else. */
  private def noted(e: Throwable): Unit = {
    world.note(s"the tool failed: $e")
    Session.refuseIllegal(world, run, e)
  }
}

object Operator {
  sealed trait Act
  case object Finalize  extends Act
  case object Clean     extends Act
  case object Adopt     extends Act
  case object Republish extends Act

  /** Goes back to an older epoch, log and checkpoint. */
  case object Rewind extends Act

  /** Begins the log anew, with a checkpoint that agrees with what is visible. */
  case object Reset extends Act

  /** Merges the small files of the whole directory, as a batch command does. */
  case object Compact extends Act
}
