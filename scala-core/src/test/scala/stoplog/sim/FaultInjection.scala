// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.collection.mutable.ArrayBuffer

import stoplog.fault.Step

/** What the world does to a schedule, at any step: a limited number of times, so that something is left of it. */
final class FaultInjection(
    world: World,
    sinks: Vector[World],
    sessions: ArrayBuffer[Session],
    mutation: Mutation
) {
  import world.{random, scheduler, traits}

  private var budget = traits.chaosBudget
  private val tools  = sinks.map(new Operators(_, mutation))
  private val nobody = new SimProcess("nobody")

  /** Somebody wants to start the query again, although it may still run. */
  var isImpatient: Boolean = false

  /** Whether somebody sleeps who is to miss the trimming of the log. */
  var needsTrimming: Boolean = false

  def maybe(): Unit = {
    sinks.foreach(_.outside.maybe())
    if (world.isTroubled) tools.foreach(_.maybe())
    if (world.isTroubled && budget > 0 && random.nextInt(1000) < traits.chaosPerThousand) {
      budget -= 1
      random.nextInt(17) match {
        case 0 | 1         => killExecutor()
        case 2 | 3         => killDriver(sparing = nobody)
        case 4             => losePower()
        case 5 | 6 | 7 | 8 => sleep()
        case 9 | 10        => pass()
        case 11 | 12       => tick()
        case 13            => one(sessions.filterNot(_.isOver).toVector)(_.shutDown())
        case _             => isImpatient = true
      }
    }
  }

  /** Sleep hurts most right before a record is written, and with a part open that the next run goes on with. */
  def before(step: Step): Unit = if (world.isTroubled) {
    if (FaultInjection.Deciding(step) && longSleepers && random.nextInt(4) == 0)
      fallAsleep(scheduler.current, FaultInjection.ToTheEnd)
    else if (FaultInjection.Writing(step)) sleepOnceIn(25)
  }

  /** With a part open in place, and nothing written to it yet. */
  def beforeWriting(): Unit = if (world.isTroubled) sleepOnceIn(6)

  private def sleepOnceIn(times: Int): Unit = if (budget > 0 && random.nextInt(times) == 0) {
    budget -= 1
    fallAsleep(scheduler.current, FaultInjection.ToTheEnd)
    if (random.nextBoolean()) killDriver(sparing = scheduler.current.process)
  }

  private def longSleepers: Boolean = traits.longSleep == LongSleep.PastTrimming

  private def others: Vector[Actor] = scheduler.living.filter(_.name != Simulation.Main).toVector

  private def one[A](choices: Vector[A])(act: A => Unit): Unit =
    if (choices.nonEmpty) act(choices(random.nextInt(choices.size)))

  private def killExecutor(): Unit = {
    val drivers = sessions.map(_.process).toSet
    one(others.map(_.process).distinct.filterNot(drivers))(kill)
  }

  private def killDriver(sparing: SimProcess): Unit =
    one(sessions.filterNot(_.isOver).map(_.process).filterNot(_ eq sparing).toVector.distinct)(kill)

  private def kill(process: SimProcess): Unit = {
    world.note(s"### ${process.name} is killed")
    scheduler.kill(process)
  }

  private def losePower(): Unit = {
    world.note("### power loss")
    (others.map(_.process) ++ sessions.map(_.process)).distinct.foreach(scheduler.kill)
    world.disk.powerLoss(unsynced => random.nextInt(unsynced + 1))
    sinks.foreach(_.outside.powerLost())
  }

  private def sleep(): Unit = {
    val (tasks, rest) = others.partition(_.name.startsWith("task"))
    val steps         = random.nextInt(4) match {
      case 0 => random.nextInt(60).toLong
      case 1 => random.nextInt(600).toLong
      case _ => FaultInjection.ToTheEnd
    }
    one(if (rest.isEmpty || (tasks.nonEmpty && random.nextBoolean())) tasks else rest)(fallAsleep(_, steps))
  }

  private def fallAsleep(actor: Actor, steps: Long): Unit = {
    needsTrimming ||= steps == FaultInjection.ToTheEnd && longSleepers
    world.note(s"### ${actor.name} falls asleep for $steps steps")
    scheduler.sleep(actor, scheduler.steps + steps)
    isImpatient ||= sessions.exists(_.process eq actor.process)
  }

  private def pass(): Unit = {
    val minutes = FaultInjection.Minutes(random.nextInt(FaultInjection.Minutes.size))
    world.note(s"### $minutes minutes pass")
    world.pass(minutes * 60 * 1000L)
  }

  private def tick(): Unit = one(sessions.filterNot(_.isOver).toVector)(_.tick())
}

private object FaultInjection {
  val ToTheEnd: Long = Long.MaxValue / 4

  private val Deciding: Set[Step] = Set(Step.BeforeRecord, Step.BeforeRoll, Step.BeforeRelease)

  private val Writing: Set[Step] = Set(Step.PartOpened, Step.MidWrite)

  val Minutes: Vector[Long] = Vector(1L, 6L, 12L, 70L)
}
