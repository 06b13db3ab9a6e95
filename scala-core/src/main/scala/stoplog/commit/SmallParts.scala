// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.annotation.tailrec
import scala.util.control.NonFatal

import stoplog.error.Log
import stoplog.fault.{Faults, Step}
import stoplog.log.SinkState
import stoplog.part.{FinishedPart, PartNaming, Pending, RunId}
import stoplog.storage.{NewPart, ReplacedFiles}
import stoplog.thread.Clock

/** Compacts the small parts of one run, one group at a time. Parts that are due while a batch job overwrites
  * the path stay unchanged ([[ReplacingJobs]]).
  *
  * @param mayCompact returns whether no such job is running
  */
private[stoplog] final class SmallParts(
    run: RunId,
    choice: SmallParts.Choice,
    runner: CompactionRunner,
    finished: ReplacedFiles,
    mayCompact: () => Boolean,
    clock: Clock,
    faults: Faults
) extends Compaction {
  import Compaction._
  import SmallParts._
  import choice.{isData, naming, policy}

  // With the lock held.
  private var started  = Option.empty[Started]
  private var count    = 0L
  private var failures = 0

  override def isCompacting: Boolean = started.nonEmpty

  override def await(): Unit = started.foreach(_.running.await())

  override def noting(state: SinkState, publish: Vector[Pending]): SinkState = {
    val added = publish.filter(part => isNew(part) && policy.isSmall(part) && isData(part))
    if (added.isEmpty) state
    else state.copy(small = state.small ++ added.map(finishedOf(_, epoch(state), compactions = 0)))
  }

  override def next(state: SinkState, closing: String => Boolean): Next = started match {
    case Some(Started(task, running)) =>
      running.result match {
        case None         => Next(state, None)
        case Some(result) =>
          started = None
          result.fold(failed(task, _, state), outcome(task, _, state))
      }
    case None =>
      val due    = policy.due(state.small, epoch(state), closing)
      val starts = due.chosen.nonEmpty && isFree(due.chosen)
      if (starts) start(due.chosen)
      Next(without(state, if (starts) due.left else due.left ++ due.chosen), None)
  }

  override def holds(state: SinkState, publishing: Set[String]): String => Boolean = {
    lazy val small = state.small.groupBy(_.bucket)
    bucket =>
      publishing(bucket) || started.exists(_.task.part.bucket == bucket) ||
        policy.due(small.getOrElse(bucket, Vector.empty), epoch(state), _ => true).chosen.nonEmpty
  }

  private def isFree(inputs: Vector[FinishedPart]): Boolean =
    try mayCompact()
    catch {
      case NonFatal(e) =>
        Log.warn(s"${inputs.size} small parts of bucket '${inputs.head.bucket}' stay as they are", e)
        false
    }

  /** Excludes compacted parts, which are tracked with their number of compactions, and parts of another
    * content, which do not fit other parts.
    */
  private def isNew(part: Pending): Boolean =
    part.reason != Reason && part.reason != SinkSettings.ContentChanged

  private def start(inputs: Vector[FinishedPart]): Unit = {
    val part = NewPart(inputs.head.bucket, naming.compacted(run, count), run)
    count += 1
    val task = CompactionTask(inputs, part)
    started = Some(Started(task, runner.start(task)))
  }

  /** Decides on a finished compaction. Checks last for a batch job that overwrites the path, and for missing
    * inputs: readers may have taken some inputs, and such a job all.
    */
  private def outcome(task: CompactionTask, compacted: CompactedPart, state: SinkState): Next =
    try {
      faults.at(Step.BeforeCompact)
      failures = 0
      val free = mayCompact()
      val gone = task.changed(finished)
      if (!free) Next(without(state, task.inputs), None)
      else if (gone.nonEmpty || !task.inputs.forall(state.small.contains)) Next(without(state, gone), None)
      else
        ReplacedSet.of(task.inputs, finished).fold(bound(task, _, state), decided(task, compacted, _, state))
    } catch { case NonFatal(e) => failed(task, e, state) }

  private def decided(
      task: CompactionTask,
      compacted: CompactedPart,
      inputs: ReplacedSet,
      state: SinkState
  ): Next = {
    val part = task.pending(compacted, clock.millis())
    Next(replaced(task, part, state), Some(Replaced(part, inputs)))
  }

  private def bound(task: CompactionTask, file: String, state: SinkState): Next = {
    Log.warn(
      s"${task.inputs.size} parts of bucket '${task.part.bucket}' stay as they are: $file cannot be " +
        "hidden, because it is on another file system than the log, or this process may not rename files " +
        "there"
    )
    Next(without(state, task.inputs), None)
  }

  private def replaced(task: CompactionTask, part: Pending, state: SinkState): SinkState = {
    val others = without(state, task.inputs)
    if (!policy.isSmall(part)) others
    else {
      val again = finishedOf(part, epoch(state), task.inputs.map(_.compactions).max + 1)
      others.copy(small = others.small :+ again)
    }
  }

  /** Handles a failure of an executor, or of an unreadable part: after some tries the parts stay as is. */
  private def failed(task: CompactionTask, e: Throwable, state: SinkState): Next = {
    failures += 1
    Log.warn(s"${task.inputs.size} parts of bucket '${task.part.bucket}' could not be compacted", e)
    val gone =
      try task.inputs.filter(part => finished.sizeBytes(part.path).isEmpty)
      catch { case NonFatal(_) => Vector.empty }
    if (failures < MostFailures) Next(without(state, gone), None)
    else {
      failures = 0
      Next(without(state, task.inputs), None)
    }
  }

  private def finishedOf(part: Pending, epoch: Long, compactions: Int): FinishedPart =
    FinishedPart(part.bucket, part.name, part.sizeBytes, part.records, epoch, compactions, part.schema)

  private def without(state: SinkState, parts: Vector[FinishedPart]): SinkState =
    if (parts.isEmpty) state else state.copy(small = state.small.diff(parts))

  private def epoch(state: SinkState): Long = state.lastEpoch.getOrElse(-1L)
}

private[stoplog] object SmallParts {

  /** The choice of parts to compact.
    *
    * @param naming the names of compacted parts
    * @param isData whether a part contains rows of the sink in its current format
    */
  final case class Choice(policy: CompactionPolicy, naming: PartNaming, isData: Pending => Boolean)

  private final case class Started(task: CompactionTask, running: RunningCompaction)

  private val MostFailures = 3
}

/** The rule by which finished parts are compacted. Pure.
  *
  * Parts of a bucket below `smallerThanBytes` wait until their total is `targetBytes`, or until the oldest
  * part has waited for `afterEpochs` epochs. A compacted part that is still small waits too, eight times as
  * long with each compaction. So a row is rewritten a few times, regardless of the number of small parts.
  *
  * @param smallerThanBytes at most half of `targetBytes`
  * @param minFiles         the minimum number of parts of a compaction; 2 or more
  */
private[stoplog] final case class CompactionPolicy(
    smallerThanBytes: Long,
    targetBytes: Long,
    afterEpochs: Long,
    minFiles: Int
) {
  import CompactionPolicy._

  def isSmall(part: Pending): Boolean = part.sizeBytes > 0 && part.sizeBytes < smallerThanBytes

  /** Returns the parts to compact now, and the parts that need not be tracked any longer.
    *
    * @param small   oldest first
    * @param closing whether a bucket gets no more rows, so that its parts do not wait for others
    */
  def due(small: Vector[FinishedPart], epoch: Long, closing: String => Boolean): Selection = {
    val groups = small.groupBy(part => (part.bucket, part.schema)).values.toVector
    val chosen = groups.sortBy(_.head.path).map(inGroup(_, epoch, closing))
    Selection(chosen.map(_.chosen).find(_.nonEmpty).getOrElse(Vector.empty), chosen.flatMap(_.left))
  }

  private def inGroup(parts: Vector[FinishedPart], epoch: Long, closing: String => Boolean): Selection = {
    val full = parts.map(_.sizeBytes).sum >= targetBytes || parts.sizeIs >= MostFiles
    val aged = parts.filter(part => epoch - part.epoch >= limit(part.compactions))
    if (full) Selection(fitting(parts), Vector.empty)
    else if (closing(parts.head.bucket) && parts.sizeIs >= 2) Selection(fitting(parts), Vector.empty)
    else if (aged.isEmpty) Selection(Vector.empty, Vector.empty)
    else {
      val most   = aged.map(_.compactions).max
      val choice = fitting(parts.filter(_.compactions <= most))
      if (choice.sizeIs >= minFiles) Selection(choice, Vector.empty) else Selection(Vector.empty, aged)
    }
  }

  /** Returns the first parts that fit the target's size, and at least two. */
  private def fitting(parts: Vector[FinishedPart]): Vector[FinishedPart] = {
    val upTo = parts.scanLeft(0L)(_ + _.sizeBytes).drop(1).takeWhile(_ <= targetBytes).size
    parts.take(upTo.max(2).min(MostFiles))
  }

  @tailrec
  private def limit(compactions: Int, epochs: Long = afterEpochs): Long =
    if (compactions == 0 || epochs > MostEpochs) epochs else limit(compactions - 1, epochs * Patience)
}

private[stoplog] object CompactionPolicy {

  /** @param chosen the parts of one bucket to compact now; empty if nothing is due
    * @param left  parts without enough others in time, which stay unchanged
    */
  final case class Selection(chosen: Vector[FinishedPart], left: Vector[FinishedPart])

  /** A record names all inputs of a compaction, and a task opens all inputs. */
  private[stoplog] val MostFiles = 256

  private val Patience   = 8L
  private val MostEpochs = Long.MaxValue / 16
}
