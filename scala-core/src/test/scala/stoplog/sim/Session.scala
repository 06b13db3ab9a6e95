// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.collection.mutable.ArrayBuffer
import scala.util.control.NonFatal

import org.apache.spark.SparkThrowable

import stoplog.commit._
import stoplog.part.RunId
import stoplog.plan.{EpochPlan, TaskResult}

/** One run of the query: the driver's thread, as Spark's stream execution drives it.
  *
  * @param content  what its rows look like: parts of another content are closed before it writes
  * @param process  where the driver lives; the tasks too, if there are no executors
  * @param ending   what happens when it ends without a failure
  * @param onLost   what it is told to do about parts that are gone
  */
final class Session(
    val world: World,
    val process: SimProcess,
    val mutation: Mutation,
    executorCount: Int,
    load: Load,
    content: String,
    ending: Ending,
    checkpoint: Checkpoint,
    onLost: LostPart = LostPart.Fail
) {
  import world.{random, scheduler, source}

  val run: RunId = world.nextRun()

  val format: SimFormat =
    if (content == Simulation.Content) world.traits.format else world.traits.format.other

  private val stores    = new SimStores(world, mutation)
  private val executors = ArrayBuffer.tabulate(executorCount)(n => new SimProcess(s"${process.name}/exec$n"))
  private val driver    = new SimDriver(world, this, stores, content, onLost)

  private val carrier  = new SimCarrier(world)
  private var ended    = false
  private var failures = Vector.empty[Throwable]

  /** What the offset log of its checkpoint has of a batch. */
  def planned(batch: Long): Option[Batch] = world.saw(checkpoint.planned(batch))

  def isOver: Boolean = ended || !process.alive

  /** What went wrong in the driver, if anything did. */
  def problems: Vector[Throwable] = failures

  def start(): Unit = {
    scheduler.spawn(s"driver ${run.value.toInt}", process) {
      try work()
      catch { case NonFatal(e) => failed(e) }
      finish(ending)
      carrier.close()
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
    if (mutation.tellsDriver) driver.waitForData()
    var again =
      world.saw(checkpoint.uncommitted) // what the checkpoint said at the start; it is not read again
    var id   = again.fold(world.saw(checkpoint.size).toLong)(_.id)
    var from = world.saw(checkpoint.end)
    var left = load.epochs
    world.pause(s"started at batch $id")
    while (left > 0 && (again.nonEmpty || id < load.upTo)) {
      if (world.isTroubled && random.nextInt(6) == 0) idle()
      val batch = again.getOrElse {
        world.pause(s"plan batch $id")
        world.saw(checkpoint.plan(id, from, load.rowsAtMost, load.share))
      }
      epoch(batch)
      from = batch.until
      world.pause(s"commit batch $id")
      world.saw(checkpoint.commit(id))
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
    val slots = load.share match {
      case Share.Drawn => 1 + random.nextInt(load.slotsAtMost)
      case Share.Even  => load.slotsAtMost
    }
    world.note(s"begin epoch ${batch.id} with $slots slots")
    source.begins(run, batch)
    val plan    = driver.begin(batch, slots)
    val job     = new Job(world, this, batch, plan, carrier.sent(plan), stores, load.share)
    val results =
      try if (plan.isCommitted(batch.id)) job.nothingToDo else job.run()
      catch {
        case NonFatal(e) =>
          world.note(s"the job failed: $e")
          aborted(plan, Vector.empty)
          throw e
      }
    world.note(s"commit epoch ${batch.id}")
    try {
      driver.commit(batch, results)
      world.oracle.answered(run, batch.id)
    } catch {
      case NonFatal(e) =>
        world.note(s"the commit failed: $e")
        aborted(plan, results)
        throw e
    }
  }

  private def aborted(plan: EpochPlan, results: Seq[TaskResult]): Unit = {
    driver.abort()
    mutation.afterAbort(plan, results, stores.parts)
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
    val neverLegal = Set("STOPLOG_EPOCH_GAP", "STOPLOG_RECORD_TORN", "STOPLOG_FOREIGN_QUERY") --
      Option.when(world.isRewound)("STOPLOG_EPOCH_GAP")
    val notAtHead = Set("STOPLOG_PART_LOST", "STOPLOG_NAME_TAKEN", "STOPLOG_PART_SHORT")
    val atHead    = world.oracle.newest.exists(
      _.run == run
    ) && !(condition == "STOPLOG_PART_LOST" && world.excusesLostParts)
    val missing = String.valueOf(e.getMessage).contains(SimParts.Missing)
    if (!world.hasOtherPlaces && (neverLegal(condition) || (atHead && (notAtHead(condition) || missing))))
      throw new Violation(s"run ${run.value} failed: $e")
  }
}

/** How much a session does: so many epochs, of a query with so many batches in all. */
final case class Load(
    epochs: Int,
    upTo: Int,
    rowsAtMost: Int,
    slotsAtMost: Int,
    share: Share = Share.Drawn
)

/** What a task gets of a batch. */
sealed trait Share
object Share {

  /** By dice; so is how many tasks and rows there are. */
  case object Drawn extends Share

  /** One row after the other, as many tasks and rows as there can be. */
  case object Even extends Share
}

/** How a session ends that did not fail. */
sealed trait Ending
object Ending {

  /** The sink does not hear of it. */
  case object Silent extends Ending

  final case class Finish(finish: stoplog.commit.Finish) extends Ending
}
