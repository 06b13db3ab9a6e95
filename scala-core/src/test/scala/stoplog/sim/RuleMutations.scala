// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.collection.mutable

import stoplog.log.{LogFiles, LookBack, RecordKind}
import stoplog.part.{Closed, Publish, Resume, RunId}
import stoplog.plan.{Attempt, EpochPlan, TaskResult}
import stoplog.sink.CommitOutcome
import stoplog.storage.PutOutcome
import stoplog.storage._

/** Mutations of who owns a part, who looks, and when. */
object RuleMutations {

  /** What an abort should make doubtful stays its run's own. */
  final class AbortKeepsOwnership extends KeptParts {
    override def afterAbort(plan: EpochPlan, results: Seq[TaskResult], parts: PartStore): Unit =
      keep(plan, plan.handed.keySet, Set.empty)
  }

  /** A part that a repeated task has left alone stays its run's own, though its first attempt may be at it. */
  final class UntouchedKeepsOwnership extends KeptParts {
    override def reported(plan: EpochPlan, result: TaskResult): TaskResult = {
      if (result.attempt == Attempt.Repeated)
        keep(plan, Set(result.slot), result.open.map(_.handle.token).toSet)
      result
    }
  }

  /** A task looks whether there is a newer driver, and announces itself then. */
  object LookBeforeAnnouncing extends Mutation {
    override def records(world: World, real: LogFiles): LogFiles = new EarlyLook(world, real)

    override def parts(world: World, real: PartStore, records: LogFiles): PartStore = new PartsOver(real) {
      override def enter(run: RunId): AutoCloseable = {
        records match {
          case early: EarlyLook if isTask(world) => early.look()
          case _                                 => ()
        }
        super.enter(run)
      }
    }
  }

  /** No task looks. */
  object NoLookOfTasks extends Mutation {
    override def looks(asItIs: LookBack): LookBack = LookBack.Newest
  }

  /** A driver asks whether older writers are gone when it reads the log, and claims the log then. */
  object FenceBeforeClaim extends Mutation {
    override def records(world: World, real: LogFiles): LogFiles = new ClaimingRecords(real)

    override def parts(world: World, real: PartStore, records: LogFiles): PartStore = new PartsOver(real) {
      private var seen = Option.empty[Boolean]
      private var gone = Option.empty[Boolean]

      records match {
        case claiming: ClaimingRecords =>
          claiming.listing = () => if (gone.isEmpty && !isTask(world)) seen = Some(real.othersGone(Nobody))
          claiming.claiming = () => gone = seen
        case _ => ()
      }

      override def othersGone(run: RunId): Boolean = gone.getOrElse(super.othersGone(run))
    }
  }

  /** Who comes too late to a place in the log writes over what is there. */
  object RecordsOverwritten extends Mutation {
    override def records(world: World, real: LogFiles): LogFiles = new RecordsOver(real) {
      override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = {
        world.op(s"overwrite record $seq")(world.disk.log(DiskLog.Main).records.remove(seq))
        super.putIfAbsent(seq, bytes)
      }
    }
  }

  /** A driver that has lost its place in the log goes on as if it had not. */
  object LoserGoesOn extends Mutation {
    override def records(world: World, real: LogFiles): LogFiles = new RecordsOver(real) {
      override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = {
        super.putIfAbsent(seq, bytes)
        PutOutcome.Created
      }
    }
  }

  /** Old records go, even those that newer records need. */
  object BasesTrimmed extends Mutation {
    override def records(world: World, real: LogFiles): LogFiles = new RecordsOver(real) {
      override def delete(seqs: Seq[Long]): Unit = {
        val there = super.list()
        super.delete(seqs ++ there.dropRight(world.surroundings.log.records))
      }
    }
  }

  /** The mark of the newest record is deleted with the marks of older records. */
  object NewestUnmarked extends Mutation {
    override def records(world: World, real: LogFiles): LogFiles = new RecordsOver(real) {
      override def unmark(seqs: Seq[Long]): Unit = super.unmark(seqs ++ world.oracle.newest.map(_.seq))
    }
  }

  /** A part becomes visible with all that is in its file. */
  object PublishedUncut extends Mutation {
    override def parts(world: World, real: PartStore, records: LogFiles): PartStore = new PartsOver(real) {
      override def publish(part: Publish, sizeBytes: Long, finishedPath: String): CommitOutcome =
        super.publish(part, world.disk.part(part.token).fold(sizeBytes)(_.length.toLong), finishedPath)
    }
  }

  /** A copy takes along what was never committed. */
  object CopiedUncut extends Mutation {
    override def parts(world: World, real: PartStore, records: LogFiles): PartStore = new PartsOver(real) {
      override def takeOver(open: Resume, validBytes: Long, part: NewPart): PartOutput =
        super.takeOver(open, world.disk.part(open.token).fold(validBytes)(_.length.toLong), part)
    }
  }

  /** Parts that are gone on with in place, and closed as they stand, by whoever should keep off. */
  private[stoplog] abstract class KeptParts extends Mutation {
    private val kept = mutable.Set.empty[String]

    protected def keep(plan: EpochPlan, slots: Set[Int], but: Set[String]): Unit = kept ++= plan.handed
      .collect {
        case (slot, parts) if slots(slot) => parts.filter(_.owner.isDefined).map(_.handle.token)
      }
      .flatten
      .filterNot(but)

    override def parts(world: World, real: PartStore, records: LogFiles): PartStore = new PartsOver(real) {
      override def takeOver(open: Resume, validBytes: Long, part: NewPart): PartOutput =
        if (kept(open.token) && isRunOf(open, part) && isFirst(world)) real.resume(open, validBytes)
        else real.takeOver(open, validBytes, part)

      override def isolate(open: Resume, validBytes: Long, part: NewPart): Closed =
        if (kept(open.token) && isRunOf(open, part)) Closed(open.token)
        else real.isolate(open, validBytes, part)
    }

    private def isRunOf(open: Resume, part: NewPart): Boolean =
      open.token.contains(s".${part.run.value.takeRight(3)}-")
  }

  private def isTask(world: World): Boolean = world.scheduler.current.name.startsWith("task")

  private def isFirst(world: World): Boolean = world.scheduler.current.name.matches("task \\d+\\.\\d+\\.0 .*")

  private final class EarlyLook(world: World, real: LogFiles) extends RecordsOver(real) {
    private val seen = mutable.Map.empty[Actor, Vector[Long]]

    def look(): Unit = seen.update(world.scheduler.current, real.list())

    override def list(): Vector[Long] = seen.remove(world.scheduler.current).getOrElse(super.list())
  }

  private val Nobody = RunId("none")

  private final class ClaimingRecords(real: LogFiles) extends RecordsOver(real) {
    var listing: () => Unit  = () => ()
    var claiming: () => Unit = () => ()

    override def list(): Vector[Long] = {
      listing()
      super.list()
    }

    override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = {
      if (WholeRecords.stored(bytes).decision.kind == RecordKind.Claim) claiming()
      super.putIfAbsent(seq, bytes)
    }
  }
}
