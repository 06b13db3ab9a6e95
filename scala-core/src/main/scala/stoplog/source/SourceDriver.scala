// SPDX-License-Identifier: Apache-2.0
package stoplog.source

import java.nio.charset.StandardCharsets.UTF_8

import scala.annotation.tailrec
import scala.util.Using

import stoplog.error.{Errors, StoplogException}
import stoplog.fault.{Faults, Step}
import stoplog.storage.PutOutcome

/** The driver's side of a source of a streaming query, as required by Spark's `MicroBatchStream`.
  *
  * Positions are numbers of splits: a query at position n has read the first n splits of the source. The log
  * contains the splits.
  *
  * @param keptBatches the number of committed micro-batches that can still be planned again
  */
private[stoplog] final class SourceDriver[S <: Split](
    source: SplitSource[S, _, _],
    state: StateFiles,
    keptBatches: Int = SourceDriver.SparksBatches,
    faults: Faults = Faults.none
) extends AutoCloseable {
  import SourceDriver.Admission

  private val log                                = new SplitLog[S](state.in("splits"), source.splits, faults)
  private var opened: Option[SplitEnumerator[S]] = None
  private var committedEnd                       = 0L
  private var isTargetDue                        = false

  /** Returns the end of the micro-batch that starts at this position, or the same position if there is
    * nothing to read. All micro-batches before this position are committed, because Spark plans one
    * micro-batch at a time.
    *
    * If a micro-batch was planned before a crash, but Spark has not recorded the plan, the same micro-batch
    * is returned.
    *
    * Errors: `STOPLOG_FENCED`, `STOPLOG_SOURCE_STATE_LOST`, and the errors of the source.
    */
  def plan(start: Long, limits: ReadLimits): Long = {
    committed(start)
    unlessOvertaken {
      if (isTargetDue) {
        isTargetDue = false
        enumerator.fixTarget()
        faults.at(Step.TargetFixed)
      }
      planned(start, limits)
    }
  }

  /** Returns the splits between two positions. Reads only the log.
    *
    * Errors, also of the iterator: `STOPLOG_FENCED`, `STOPLOG_SOURCE_STATE_LOST`.
    */
  def splits(start: Long, end: Long): Iterator[S] = {
    val found = unlessOvertaken(log.splits(start, end))
    new Iterator[S] {
      override def hasNext: Boolean = unlessOvertaken(found.hasNext)
      override def next(): S        = unlessOvertaken(found.next())
    }
  }

  /** Called when the micro-batches up to this position are committed.
    *
    * Errors: `STOPLOG_FENCED`, `STOPLOG_SOURCE_STATE_LOST`, and the errors of the source.
    */
  def committed(end: Long): Unit = if (end > committedEnd) {
    unlessOvertaken {
      if (committedEnd > 0) enumerator.committed(committedEnd, log.splits(committedEnd, end))
      else reportAll(log.oldest.min(end), end)
    }
    committedEnd = end
    log.trim(end, keptBatches, enumerator.oldestNeeded)
  }

  /** Returns the position up to which this driver has handled the commits; 0 before the first call of
    * [[committed]].
    */
  def committedTo: Long = committedEnd

  /** See [[SplitEnumerator.fixTarget]]. The next plan fixes the target, after the source has received the
    * committed position: a file that has replaced a committed file belongs to the target.
    */
  def fixTarget(): Unit = isTargetDue = true

  def outstanding: Outstanding = opened.fold(Outstanding.none)(_.outstanding)

  def metrics: Map[String, String] = opened.fold(Map.empty[String, String])(_.metrics)

  override def close(): Unit = {
    opened.foreach(_.close())
    opened = None
  }

  private def planned(start: Long, limits: ReadLimits): Long = log.plannedFrom(start).getOrElse {
    if (log.end != start) throw Errors.sourceStateLost(state.describe(""), start)
    Admission.take(enumerator, limits) match {
      case Vector() =>
        log.rest()
        start
      case splits =>
        log.append(start, splits, enumerator.snapshot(start + splits.size))
    }
  }

  /** Skips records that the preceding driver drops concurrently: that driver has reported them to its own
    * enumerator.
    */
  @tailrec
  private def reportAll(from: Long, end: Long): Unit = {
    val failure =
      try { enumerator.committed(from, log.splits(from, end)); None }
      catch { case e: StoplogException if isLost(e) => Some(e) }
    failure match {
      case None    => ()
      case Some(e) =>
        log.forgetDropped()
        val left = log.oldest.min(end)
        if (left > from) reportAll(left, end) else throw e
    }
  }

  private def isLost(e: StoplogException) = e.getCondition == SourceDriver.StateLost

  /** Another driver removes state only after a record of its own. So a driver that misses state then is the
    * older driver.
    */
  private def unlessOvertaken[A](action: => A): A =
    try action
    catch {
      case lost: StoplogException if isLost(lost) && log.isOvertaken =>
        throw Errors.sourceFenced(state.describe("splits"))
    }

  private def enumerator: SplitEnumerator[S] = opened.getOrElse {
    val restored = log.newest().map(_.snapshot)
    val made     = source.enumerator(
      EnumeratorContext(
        restored,
        from => log.splits(from, log.end),
        state.in("enumerator"),
        from => log.batches(from, log.end)
      )
    )
    opened = Some(made)
    made
  }
}

private[stoplog] object SourceDriver {

  /** The default of Spark's `spark.sql.streaming.minBatchesToRetain`. */
  private final val SparksBatches = 100

  private final val StateLost = "STOPLOG_SOURCE_STATE_LOST"

  /** The driver of a query in this JVM. */
  def ofQuery[S <: Split](
      source: SplitSource[S, _, _],
      state: StateFiles,
      keptBatches: Int
  ): SourceDriver[S] = new SourceDriver(source, state, keptBatches, Faults.ofThisJvm)

  /** Returns all current splits of a source, for a batch query, which keeps no state. */
  def all[S <: Split](source: SplitSource[S, _, _], scratch: StateFiles): Vector[S] = {
    val enumerator = source.enumerator(EnumeratorContext(None, _ => Iterator.empty, scratch))
    try {
      enumerator.fixTarget()
      Admission.take(enumerator, ReadLimits.none)
    } finally enumerator.close()
  }

  /** Rejects the state of another source. A file next to the splits records the source. A checkpoint without
    * this file is new or older than the file, and belongs to the requested source.
    *
    * Error: `STOPLOG_SOURCE_PATH_CHANGED`.
    */
  def refuseOther(state: StateFiles, requested: String): Unit =
    if (state.putIfAbsent(Identity)(_.write(requested.getBytes(UTF_8))) == PutOutcome.Taken) {
      val recorded = Using.resource(state.open(Identity))(in => new String(in.readAllBytes(), UTF_8))
      if (recorded != requested)
        throw Errors.sourcePathChanged(recorded, requested, state.describe(Identity))
    }

  private final val Identity = "identity"

  /** Decides which splits belong to a micro-batch. */
  object Admission {

    /** Returns the next splits within the limits; empty if there is nothing to read. */
    def take[S <: Split](enumerator: SplitEnumerator[S], limits: ReadLimits): Vector[S] = {
      val batch = new Batch(enumerator, limits)
      var more  = true
      while (more) {
        val discovery = enumerator.discover()
        more = batch.fill() && discovery == Discovery.Partial
      }
      batch.taken
    }

    private final class Batch[S <: Split](enumerator: SplitEnumerator[S], limits: ReadLimits) {
      private val splits = Vector.newBuilder[S]
      private var count  = 0L
      private var budget = Budget(limits, 0, 0)

      def taken: Vector[S] = splits.result()

      /** Adds all fitting splits. Returns false if the budget is used up or no split was found. */
      def fill(): Boolean = {
        val before = count
        while (hasBudget && enumerator.next().exists(takes)) ()
        hasBudget && count > before
      }

      private def hasBudget = !budget.isFull && limits.splits.forall(count < _)

      private def takes(split: S): Boolean = enumerator.admit(split, budget) match {
        case Admitted.All(whole, size)       => add(whole, size)
        case Admitted.Part(head, size, rest) =>
          enumerator.takeBack(rest)
          add(head, size)
          end()
        case Admitted.Nothing() if count == 0 => add(split, split.size)
        case Admitted.Nothing()               =>
          enumerator.takeBack(split)
          end()
      }

      private def add(split: S, size: SplitSize): Boolean = {
        splits += split
        count += 1
        budget = budget.minus(size)
        true
      }

      private def end(): Boolean = {
        budget = budget.full
        false
      }
    }
  }
}
