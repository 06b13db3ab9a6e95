// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.collection.mutable.ArrayBuffer

import stoplog.commit.Finish

/** One schedule, from its seed: trouble first, then a clean run and the oracle's last word, then the zombies wake. */
final class Simulation(seed: Long, mutation: Mutation, lane: Lane, tracing: Tracing, setting: Setting) {
  private val world    = new World(seed, lane, tracing, setting)
  private val sessions = ArrayBuffer.empty[Session]
  private val chaos    = new Chaos(world, sessions, mutation)
  import world.{checkpoint, random, scheduler, traits}

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
    scheduler.wake(sleepingLessThan = Chaos.ToTheEnd)
    scheduler.awaitQuiet()
    if (chaos.needsTrimming)
      clean(Load(epochs = 115, upTo = checkpoint.size + 112, rowsAtMost = 1, slotsAtMost = 1))
    clean(Load(epochs = 100, upTo = traits.batches, traits.rowsAtMost, traits.slots))
    complete()
    world.note("### all sleepers wake")
    scheduler.wake(sleepingLessThan = Long.MaxValue)
    scheduler.awaitQuiet()
    clean(Load(epochs = 100, upTo = 0, rowsAtMost = 0, slotsAtMost = 1))
    complete()
    world.outside.leaves()
    world.pass(Simulation.LongAfterwardsMillis)
    clean(Load(epochs = 2, upTo = checkpoint.size + 1, traits.rowsAtMost, traits.slots))
    complete()
    world.oracle.swept(world.disk)
  }

  private def troubled(): Unit = {
    var process = new SimProcess("jvm0")
    (1 to traits.sessions).foreach { n =>
      if (!process.alive || random.nextInt(3) > 0) process = new SimProcess(s"jvm$n")
      val epochs  = if (random.nextBoolean()) 100 else 1 + random.nextInt(3)
      val load    = Load(epochs, traits.batches, traits.rowsAtMost, traits.slots)
      val session = new Session(
        world,
        process,
        mutation,
        traits.executors,
        load,
        anyContent(),
        anyEnding(),
        world.outside.checkpoint(drivers = sessions.count(!_.isOver)),
        world.surroundings.onLost
      )
      sessions += session
      chaos.isImpatient = false
      session.start()
      scheduler.awaitUntil(() => session.isOver || chaos.isImpatient)
      if (session.isOver && random.nextBoolean()) scheduler.awaitQuiet()
    }
  }

  private def anyContent(): String = if (random.nextInt(10) == 0) "other lines" else Simulation.Content

  private def anyEnding(): Ending = random.nextInt(4) match {
    case 0 => Ending.Silent
    case 1 => Ending.Finish(Finish.KeepOpen)
    case _ => Ending.Finish(Finish.PublishOpen)
  }

  private def clean(load: Load): Unit = new CleanRun(world, mutation).go(load)

  private def complete(): Unit = world.oracle.complete(world.disk, checkpoint)
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
