// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.collection.mutable.ArrayBuffer

import stoplog.commit.SinkDriver.Finish

/** One schedule, from its seed: trouble first, then a clean run and the oracle's last word, then the zombies wake. */
final class Simulation(seed: Long, mutation: Mutation, lane: Lane, tracing: Tracing) {
  private val world    = new World(seed, lane, tracing)
  private val sessions = ArrayBuffer.empty[Session]
  private val chaos    = new Chaos(world, sessions, mutation)
  import world.{random, scheduler, source, traits}

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
      clean(Load(epochs = 115, upTo = source.size + 112, rowsAtMost = 1, slotsAtMost = 1))
    clean(Load(epochs = 100, upTo = traits.batches, traits.rowsAtMost, traits.slots))
    world.oracle.complete(world.disk)
    world.note("### all sleepers wake")
    scheduler.wake(sleepingLessThan = Long.MaxValue)
    scheduler.awaitQuiet()
    clean(Load(epochs = 100, upTo = 0, rowsAtMost = 0, slotsAtMost = 1))
    world.oracle.complete(world.disk)
    world.pass(Simulation.LongAfterwardsMillis)
    clean(Load(epochs = 2, upTo = source.size + 1, traits.rowsAtMost, traits.slots))
    world.oracle.complete(world.disk)
    world.oracle.swept(world.disk)
  }

  private def troubled(): Unit = {
    var process = new SimProcess("jvm0")
    (1 to traits.sessions).foreach { n =>
      if (!process.alive || random.nextInt(3) > 0) process = new SimProcess(s"jvm$n")
      val epochs  = if (random.nextBoolean()) 100 else 1 + random.nextInt(3)
      val load    = Load(epochs, traits.batches, traits.rowsAtMost, traits.slots)
      val session = new Session(world, process, mutation, traits.executors, load, anyContent(), anyEnding())
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

  /** A run that nobody disturbs must not fail. */
  private def clean(load: Load): Unit = {
    val process = new SimProcess("clean")
    val session =
      new Session(world, process, mutation, 0, load, Simulation.Content, Ending.Finish(Finish.PublishOpen))
    session.start()
    scheduler.awaitQuiet()
    session.problems.headOption.foreach(e => throw new Violation(s"a clean run failed: $e"))
    if (!session.isOver) throw new Violation("a clean run does not end")
  }
}

object Simulation {
  private[sim] val Main = "scenario"

  private[sim] val Content = "lines"

  private val LongAfterwardsMillis = 5 * 60 * 60 * 1000L

  /** Runs one seed, without an account of its steps unless one is asked for. */
  def run(seed: Long, mutation: Mutation, lane: Lane, tracing: Tracing = Tracing.Off): Outcome =
    new Simulation(seed, mutation, lane, tracing).run()

  /** The same schedule again, with one. */
  def replay(seed: Long, mutation: Mutation): Outcome =
    run(seed, mutation, new Lane, Tracing.On)
}

/** How a schedule ended. */
sealed trait Outcome
object Outcome {
  final case class Passed(steps: Long, rows: Int, trace: Vector[String])         extends Outcome
  final case class Failed(seed: Long, problem: Throwable, trace: Vector[String]) extends Outcome
}
