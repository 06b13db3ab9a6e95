// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.collection.mutable.ArrayBuffer
import scala.util.control.NonFatal

import org.apache.spark.SparkThrowable

import stoplog.commit.Finish

/** One schedule, from its seed: trouble first, then a clean run and the oracle's last word, then the zombies wake. */
final class Simulation(seed: Long, mutation: Mutation, lane: Lane, tracing: Tracing, setting: Setting) {
  private val world    = new World(seed, lane, tracing, setting)
  private val sinks    = world +: world.surroundings.sinkIds.drop(1).map(world.beside)
  private val sessions = ArrayBuffer.empty[Session]
  private val chaos    = new FaultInjection(world, sinks, sessions, mutation)
  import world.{random, scheduler, traits}

  def run(): Outcome =
    try {
      scheduler.onStep(() => chaos.maybe())
      world.onStep(chaos.before)
      world.onOpening(() => chaos.beforeWriting())
      scheduler.run(Simulation.Main)(scenario())
      Outcome.Passed(scheduler.steps, world.oracle.visible, world.trace)
    } catch { case e: Throwable => Outcome.Failed(seed, e, world.trace) }

  private def scenario(): Unit = {
    world.note(s"$traits")
    troubled()
    world.calm()
    scheduler.wake(sleepingLessThan = FaultInjection.ToTheEnd)
    scheduler.awaitQuiet()
    if (chaos.needsTrimming)
      clean(sink => Load(epochs = 115, upTo = sink.checkpoint.size + 112, rowsAtMost = 1, slotsAtMost = 1))
    clean(_ => Load(epochs = 100, upTo = traits.batches, traits.rowsAtMost, traits.slots))
    complete()
    world.note("### all sleepers wake")
    scheduler.wake(sleepingLessThan = Long.MaxValue)
    scheduler.awaitQuiet()
    clean(_ => Load(epochs = 100, upTo = 0, rowsAtMost = 0, slotsAtMost = 1))
    complete()
    sinks.foreach(_.outside.leaves())
    world.pass(Simulation.LongAfterwardsMillis)
    clean(sink => Load(epochs = 2, upTo = sink.checkpoint.size + 1, traits.rowsAtMost, traits.slots))
    complete()
    world.oracle.swept(world.disk)
  }

  private def troubled(): Unit = {
    var process = new SimProcess("jvm0")
    (1 to traits.sessions).foreach { n =>
      if (!process.alive || random.nextInt(3) > 0) process = new SimProcess(s"jvm$n")
      val epochs  = if (random.nextBoolean()) 100 else 1 + random.nextInt(3)
      val load    = Load(epochs, traits.batches, traits.rowsAtMost, traits.slots)
      val sink    = if (sinks.size == 1) world else sinks(random.nextInt(sinks.size))
      val session = new Session(
        sink,
        process,
        mutation,
        traits.executors,
        load,
        anyContent(),
        anyEnding(),
        sink.outside.checkpoint(drivers = sessions.count(!_.isOver)),
        world.surroundings.onLost
      )
      sessions += session
      chaos.isImpatient = false
      session.start()
      scheduler.awaitUntil(() => session.isOver || chaos.isImpatient || isAlone(session))
      if (session.isOver && random.nextBoolean()) scheduler.awaitQuiet()
    }
  }

  /** Of two sinks that have one live driver, the other one gets its own. */
  private def isAlone(session: Session): Boolean =
    sinks.size > 1 && sessions.forall(other => (other.world eq session.world) || other.isOver)

  private def anyContent(): String = if (random.nextInt(10) == 0) "other lines" else Simulation.Content

  private def anyEnding(): Ending = random.nextInt(4) match {
    case 0 => Ending.Silent
    case 1 => Ending.Finish(Finish.KeepOpen)
    case _ => Ending.Finish(Finish.PublishOpen)
  }

  private def clean(load: World => Load): Unit = {
    sinks.foreach(sink => new CleanRun(sink, mutation).go(load(sink)))
    if (world.surroundings.tools.contains(Operator.Compact)) compact()
  }

  /** What one has decided that has died is carried out by the next. */
  private def compact(): Unit = {
    scheduler.spawn("clean compaction", new SimProcess("clean")) {
      try new SimDirectoryCompaction(world, world.nextRun(), mutation).run()
      catch {
        case e: SparkThrowable if world.isRewound && e.getCondition == "STOPLOG_PATH_NOT_WRITABLE" =>
          world.note("a compaction waits until somebody claims the log after a tool that has died")
        case NonFatal(e) => throw new Violation(s"a clean compaction failed: $e")
      }
    }
    scheduler.awaitQuiet()
  }

  private def complete(): Unit = sinks.foreach(sink => sink.oracle.complete(sink.disk, sink.checkpoint))
}

object Simulation {
  private[sim] val Main = "scenario"

  private[sim] val Content = "lines"

  private val LongAfterwardsMillis = 5 * 60 * 60 * 1000L

  /** Runs one seed, without an account of its steps unless one is asked for. */
  def run(
      seed: Long,
      mutation: Mutation,
      lane: Lane,
      tracing: Tracing = Tracing.Off,
      setting: Setting = Setting.plain
  ): Outcome = new Simulation(seed, mutation, lane, tracing, setting).run()

  /** The same schedule again, with one. */
  def replay(seed: Long, mutation: Mutation, setting: Setting = Setting.plain): Outcome =
    run(seed, mutation, new Lane, Tracing.On, setting)
}

/** How a schedule ended. */
sealed trait Outcome
object Outcome {
  final case class Passed(steps: Long, rows: Int, trace: Vector[String])         extends Outcome
  final case class Failed(seed: Long, problem: Throwable, trace: Vector[String]) extends Outcome
}
