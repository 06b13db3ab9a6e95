// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.util.control.NonFatal

import stoplog.error.Errors
import stoplog.log.LookBack
import stoplog.part.PartNaming
import stoplog.plan.{Attempt, EpochPlan, TaskPlan, TaskPlans, TaskResult}
import stoplog.writing.{SpoolWriter, TaskWriter}

/** One epoch's tasks, as Spark's scheduler treats them: repeated when they fail or vanish, sometimes doubled for no
  * reason, and the first result of each slot counts.
  */
final class Job(
    world: World,
    session: Session,
    batch: Batch,
    plan: EpochPlan,
    sent: TaskPlans,
    stores: SimStores,
    share: Share
) {
  import stores.{commits, parts, spoolFiles}
  import world.{random, scheduler}

  private final class Slot(val index: Int) {
    var rows: Vector[Row]          = Vector.empty
    var result: Option[TaskResult] = None
    var attempts: Vector[Actor]    = Vector.empty
    var failures: Int              = 0

    /** A sleeper may be taken for dead: it is not. */
    def isWorkedOn: Boolean = attempts.exists { actor =>
      !actor.done && !actor.dead && actor.process.alive && !scheduler.isAsleep(actor)
    }
  }

  private val slots = Vector.tabulate(plan.slots)(new Slot(_))

  /** What driver and tasks see of each other. */
  private def shared: Any = slots.map { slot =>
    (slot.result, slot.failures, slot.attempts.map(actor => (actor.done, actor.dead, actor.process.alive)))
  }

  session.process.shares(shared)

  /** The results of writers that have nothing to do: the epoch is in the log already. */
  def nothingToDo: Seq[TaskResult] =
    slots.map(s => TaskResult(s.index, Attempt.First, Vector.empty, Vector.empty, plan.firstPart + s.index))

  def run(): Seq[TaskResult] = {
    batch.rows.zipWithIndex.foreach { case (row, n) =>
      val slot = share match {
        case Share.Drawn => slots(random.nextInt(slots.size))
        case Share.Even  => slots(n % slots.size)
      }
      slot.rows :+= row
    }
    slots.foreach(attempt(_, Attempt.First))
    if (world.isTroubled) slots.filter(_ => random.nextInt(6) == 0).foreach { slot =>
      val copy = attempt(slot, Attempt.Repeated)
      scheduler.sleep(copy, scheduler.steps + random.nextInt(60))
    }
    while (slots.exists(_.result.isEmpty)) {
      scheduler.awaitUntil(() => slots.forall(_.result.nonEmpty) || slots.exists(isStuck))
      world.pause("look after the tasks")
      world.saw(shared)
      slots.filter(isStuck).foreach { slot =>
        if (slot.failures >= Job.FailuresAtMost || world.outside.givesUp())
          throw new JobFailed(s"slot ${slot.index} of epoch ${batch.id}")
        attempt(slot, Attempt.Repeated)
      }
    }
    world.saw(slots.flatMap(_.result))
  }

  private def isStuck(slot: Slot): Boolean = slot.result.isEmpty && !slot.isWorkedOn

  private def attempt(slot: Slot, attempt: Attempt): Actor = {
    val name  = s"task ${batch.id}.${slot.index}.${slot.attempts.size} of ${session.run.value.toInt}"
    val actor = scheduler.spawn(name, session.executor())(write(slot, attempt))
    slot.attempts :+= actor
    actor
  }

  /** Rejected rows have a writer of their own, with the same plan, as `RowWriter` has it. */
  private def write(slot: Slot, attempt: Attempt): Unit =
    try write(slot, attempt, sent.forTask(slot.index, attempt))
    catch {
      case NonFatal(e) =>
        world.note(s"failed: $e")
        slot.failures += 1
        mustBeLegal(e)
    }

  private def write(slot: Slot, attempt: Attempt, mine: TaskPlan): Unit = {
    val writer   = writerOf(mine, attempt, suffix = "")
    val rejected = Job.LazyWriter(() => writerOf(mine, attempt, suffix = ".rejected"))
    try {
      world.note(
        s"$attempt, ${slot.rows.size} rows, handed ${plan.handed.getOrElse(slot.index, Vector.empty)}"
      )
      slot.rows.foreach { row =>
        if (world.source.isRejected(row.text)) rejected().write(Rejects.bucketOf(row), row.text)
        else writer.write(row.bucket, row.text)
      }
      val result = session.mutation.reported(plan, rejected.addedTo(writer.commit()))
      world.pause("report the result")
      if (world.saw(slot.result.isEmpty)) slot.result = Some(result)
      world.note(s"$result")
    } finally {
      writer.close()
      rejected.close()
    }
  }

  private def writerOf(mine: TaskPlan, attempt: Attempt, suffix: String): TaskWriter[String] =
    new TaskWriter[String](
      mine,
      parts,
      new SpoolWriter(spoolFiles, world.faults, world.traits.spoolFilesTogether),
      session.format.open(spoolFiles, attempt),
      TaskWriter.Rules(
        world.traits.policy,
        PartNaming("part", suffix),
        world.traits.maxOpenParts,
        _ => (),
        () => mayStart(),
        world.traits.inRecord
      ),
      TaskWriter.Tools(world.clock, world.faults)
    )

  /** What the newest record names is there for the tasks of its plan. */
  private def mustBeLegal(e: Throwable): Unit = {
    val message  = String.valueOf(e.getMessage)
    val isMissed =
      Seq(SimParts.Missing, "STOPLOG_PART_SHORT", SimCarrier.Closed).exists(message.contains(_))
    if (
      !world.hasOtherPlaces && isMissed && world.oracle.newest
        .exists(newest => newest.seq == plan.seq && newest.run == plan.run)
    )
      throw new Violation(s"a task misses its part: $message")
  }

  private def mayStart(): Unit = session.mutation.looks(commits.look(plan.seq)) match {
    case LookBack.Newest             => ()
    case LookBack.Overtaken(newer)   => throw Errors.fenced("sink", "main", newer, "another run")
    case LookBack.Elsewhere(missing) =>
      throw Errors.pathNotShared("sink", s"record $missing", "driver", "task")
  }
}

private object Job {
  val FailuresAtMost = 3

  /** A writer that most tasks do not need. */
  final case class LazyWriter(make: () => TaskWriter[String]) {
    private var made = Option.empty[TaskWriter[String]]
    private var rows = 0L

    def apply(): TaskWriter[String] = {
      rows += 1
      made.getOrElse {
        made = Some(make())
        made.get
      }
    }

    def addedTo(result: TaskResult): TaskResult =
      made.fold(result)(writer => result.withRejected(writer.commit(), rows))

    def close(): Unit = made.foreach(_.close())
  }
}

/** Spark has given up on a job, while attempts of it may still run. */
final class JobFailed(what: String) extends RuntimeException(s"$what failed too often")
