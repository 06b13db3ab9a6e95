// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.collection.mutable.ArrayBuffer
import scala.util.control.NonFatal

import org.apache.spark.SparkThrowable

import stoplog.commit.SinkDriver.Finish
import stoplog.commit._
import stoplog.commit.complete.{CompleteRule, FollowUps, Manifests}
import stoplog.log.{CommitLog, MarkerForm}
import stoplog.part.{PartNaming, RunId}

/** One run of the query: the driver's thread, as Spark's stream execution drives it.
  *
  * @param content  what its rows look like: parts of another content are closed before it writes
  * @param process  where the driver lives; the tasks too, if there are no executors
  * @param ending   what happens when it ends without a failure
  */
final class Session(
    val world: World,
    val process: SimProcess,
    val mutation: Mutation,
    executorCount: Int,
    load: Load,
    content: String,
    ending: Ending
) {
  import world.{random, scheduler, source}

  val run: RunId = world.nextRun()

  val format: SimFormat =
    if (content == Simulation.Content) world.traits.format else world.traits.format.other

  private val realRecords = new SimRecords(world)
  private val records     = mutation.records(world, realRecords)
  private val parts       = mutation.parts(world, new SimParts(world), records)
  private val sides       = mutation.sides(world, new SimSides(world), records)
  private val finished    = mutation.finished(world, new SimFinished(world), records)
  private val log         = new CommitLog(records)
  private val executors = ArrayBuffer.tabulate(executorCount)(n => new SimProcess(s"${process.name}/exec$n"))
  private val turn      = new SimTurn(world)

  private def manifests: Manifests =
    if (world.rule == CompleteRule.Never) Manifests.Off else Manifests.Json(None, None)

  private val driver = SinkDriver.ofParts(
    run,
    SinkIdentity("sink", "main", "query"),
    SinkSettings(Map.empty, content, manifests.toMap),
    world.traits.policy,
    log,
    parts,
    sides,
    () => format.open(sides),
    SinkDriver.Choices(ForeignQuery.Refuse, LostPart.Fail),
    SinkDriver.Tools(world.clock, world.faults, turn, Parallel.sequential, Retry.never),
    FollowUps(
      "main",
      world.rule,
      MarkerForm.Json,
      manifests,
      mutation.notes(world, new SimNotes(world)),
      world.announced.told
    ),
    finished,
    world.traits.compaction.fold(Compaction.Off: Compaction)(compaction)
  )

  private def compaction(policy: CompactionPolicy) = new SmallParts(
    run,
    policy,
    PartNaming("part", ""),
    _ => true,
    new SimMerger(world, this, parts, () => format.open(sides)),
    finished,
    world.clock,
    world.faults
  )

  private var ended    = false
  private var failures = Vector.empty[Throwable]

  def isOver: Boolean = ended || !process.alive

  /** What went wrong in the driver, if anything did. */
  def problems: Vector[Throwable] = failures

  def start(): Unit = {
    scheduler.spawn(s"driver ${run.value.toInt}", process) {
      try work()
      catch { case NonFatal(e) => failed(e) }
      finish(ending)
      ended = true
    }
    ()
  }

  /** The timer fires. */
  def tick(): Unit = if (!isOver) {
    scheduler.spawn(s"timer ${run.value.toInt}", process) {
      try {
        driver.tick()
        ()
      } catch { case NonFatal(e) => noted(e) }
    }
    ()
  }

  /** The application ends in good order, whatever the query is doing. */
  def shutDown(): Unit = if (!isOver) {
    scheduler.spawn(s"shutdown ${run.value.toInt}", process) {
      try driver.endIfIdle(if (random.nextBoolean()) Finish.PublishOpen else Finish.KeepOpen)
      catch { case NonFatal(e) => noted(e) }
      world.note(s"### ${process.name} exits")
      scheduler.kill(process)
    }
    ()
  }

  private def work(): Unit = {
    var again = source.uncommitted // what the checkpoint said at the start; it is not read again
    var id    = again.fold(source.size.toLong)(_.id)
    var left  = load.epochs
    log.newest().foreach(newest => driver.waitFrom(newest.seq))
    world.pause(s"started at batch $id")
    while (left > 0 && (again.nonEmpty || id < load.upTo)) {
      if (world.isTroubled && random.nextInt(6) == 0) idle()
      val batch = again.getOrElse {
        world.pause(s"plan batch $id")
        source.plan(id, load.rowsAtMost)
      }
      epoch(batch)
      world.pause(s"commit batch $id")
      source.commit(id)
      again = None
      id += 1
      left -= 1
    }
  }

  /** No data for a while, so that only the timer works. */
  private def idle(): Unit = {
    world.pass((if (random.nextBoolean()) 6 else 70) * 60 * 1000L)
    tick()
    scheduler.sleep(scheduler.current, scheduler.steps + 1 + random.nextInt(30))
    world.pause("no data")
  }

  private def epoch(batch: Batch): Unit = {
    val slots = 1 + random.nextInt(load.slotsAtMost)
    world.note(s"begin epoch ${batch.id} with $slots slots")
    val plan    = driver.begin(batch.id, slots)
    val job     = new Job(world, this, batch, plan, parts, sides, records)
    val results =
      try if (plan.isCommitted(batch.id)) job.nothingToDo else job.run()
      catch {
        case NonFatal(e) =>
          world.note(s"the job failed: $e")
          aborted(plan, Vector.empty)
          throw e
      }
    world.note(s"commit epoch ${batch.id}")
    try driver.commit(batch.id, results)
    catch {
      case NonFatal(e) =>
        world.note(s"the commit failed: $e")
        aborted(plan, results)
        throw e
    }
  }

  private def aborted(plan: EpochPlan, results: Seq[TaskResult]): Unit = {
    driver.abort()
    mutation.afterAbort(plan, results, parts)
  }

  private def finish(ending: Ending): Unit = ending match {
    case Ending.Silent         => ()
    case Ending.Finish(finish) =>
      try {
        world.note(s"end: $finish")
        driver.end(finish)
      } catch { case NonFatal(e) => failed(e) }
  }

  /** An executor that is alive; a new one if all have vanished. */
  def executor(): SimProcess =
    if (executors.isEmpty) process
    else {
      if (!executors.exists(_.alive)) executors += new SimProcess(s"${process.name}/exec${executors.size}")
      val alive = executors.filter(_.alive)
      alive(random.nextInt(alive.size))
    }

  private def failed(e: Throwable): Unit = {
    failures :+= e
    noted(e)
  }

  /** A driver that holds the newest record may fail by what the world did to it, and by nothing else. */
  private def noted(e: Throwable): Unit = {
    world.note(s"failed: $e")
    Session.refuseIllegal(world, run, e)
  }
}

object Session {

  /** Who holds the newest record may fail by what the world did to it, and by nothing else. */
  private[sim] def refuseIllegal(world: World, run: RunId, e: Throwable): Unit = {
    val condition = e match {
      case known: SparkThrowable => known.getCondition
      case _                     => ""
    }
    val neverLegal = Set("STOPLOG_EPOCH_GAP", "STOPLOG_RECORD_TORN", "STOPLOG_FOREIGN_QUERY")
    val notAtHead  = Set("STOPLOG_PART_LOST", "STOPLOG_NAME_TAKEN", "STOPLOG_PART_SHORT")
    val atHead     = world.oracle.newest.exists(_.run == run)
    val missing    = String.valueOf(e.getMessage).contains(SimParts.Missing)
    if (neverLegal(condition) || (atHead && (notAtHead(condition) || missing)))
      throw new Violation(s"run ${run.value} failed: $e")
  }
}

/** How much a session does: so many epochs, of a query with so many batches in all. */
final case class Load(epochs: Int, upTo: Int, rowsAtMost: Int, slotsAtMost: Int)

/** How a session ends that did not fail. */
sealed trait Ending
object Ending {

  /** The sink does not hear of it. */
  case object Silent extends Ending

  final case class Finish(finish: SinkDriver.Finish) extends Ending
}
