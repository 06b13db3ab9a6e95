// SPDX-License-Identifier: Apache-2.0
package stoplog.source

import java.nio.charset.StandardCharsets.UTF_8

import scala.annotation.tailrec
import scala.util.Using

import stoplog.error.{Errors, StoplogException}
import stoplog.fault.{Faults, Step}
import stoplog.storage.PutOutcome

/** The driver's side of a source that a streaming query reads, as Spark's `MicroBatchStream` asks for it.
  *
  * Positions are numbers of splits: a query at position n has read the first n splits that the source yielded. The log
  * names them.
  *
  * @param keptBatches how many committed micro-batches can still be planned again
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
  private var told                               = 0L
  private var isTargetDue                        = false

  /** The end of the micro-batch that begins at this position: the same again if there is nothing to read. All
    * micro-batches before this position are committed: Spark plans one at a time.
    *
    * A micro-batch that was planned before a crash, of which Spark did not hear, is the one that comes now.
    *
    * Errors: `STOPLOG_SOURCE_FENCED`, `STOPLOG_SOURCE_STATE_LOST`, and those of the source.
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

  /** The splits between two positions, from the log alone.
    *
    * Errors, also of the iterator: `STOPLOG_SOURCE_FENCED`, `STOPLOG_SOURCE_STATE_LOST`.
    */
  def splits(start: Long, end: Long): Iterator[S] = {
    val found = unlessOvertaken(log.splits(start, end))
    new Iterator[S] {
      override def hasNext: Boolean = unlessOvertaken(found.hasNext)
      override def next(): S        = unlessOvertaken(found.next())
    }
  }

  /** Micro-batches up to this position are committed.
    *
    * Errors: `STOPLOG_SOURCE_FENCED`, `STOPLOG_SOURCE_STATE_LOST`, and those of the source.
    */
  def committed(end: Long): Unit = if (end > told) {
    unlessOvertaken {
      if (told > 0) enumerator.committed(told, log.splits(told, end))
      else tellOfAll(log.oldest.min(end), end)
    }
    told = end
    log.trim(end, keptBatches, enumerator.oldestNeeded)
  }

  /** See [[SplitEnumerator.fixTarget]]. The next plan fixes the target, once the source knows what is committed: a file that
    * has replaced a committed one belongs to the target.
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

  /** Leaves out records that the driver before this one drops meanwhile: it has told its own enumerator of them. */
  @tailrec
  private def tellOfAll(from: Long, end: Long): Unit = {
    val failure =
      try { enumerator.committed(from, log.splits(from, end)); None }
      catch { case e: StoplogException if isLost(e) => Some(e) }
    failure match {
      case None    => ()
      case Some(e) =>
        log.forgetDropped()
        val left = log.oldest.min(end)
        if (left > from) tellOfAll(left, end) else throw e
    }
  }

  private def isLost(e: StoplogException) = e.getCondition == SourceDriver.StateLost

  /** Another driver removes state only behind a record of its own: the driver that misses some then is the older one. */
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

  /** All splits of a source as it is now, for a batch query, which keeps no state. */
  def all[S <: Split](source: SplitSource[S, _, _], scratch: StateFiles): Vector[S] = {
    val enumerator = source.enumerator(EnumeratorContext(None, _ => Iterator.empty, scratch))
    try Admission.take(enumerator, ReadLimits.none)
    finally enumerator.close()
  }

  /** Refuses the state of another source, which a file beside the splits names. A checkpoint without that file is new or
    * older than it, and belongs to the source that the query asks for now.
    *
    * Error: `STOPLOG_SOURCE_PATH_CHANGED`.
    */
  def refuseOther(state: StateFiles, asked: String): Unit =
    if (state.putIfAbsent(Identity)(_.write(asked.getBytes(UTF_8))) == PutOutcome.Taken) {
      val recorded = Using.resource(state.open(Identity))(in => new String(in.readAllBytes(), UTF_8))
      if (recorded != asked)
        throw Errors.sourcePathChanged(recorded, asked, state.describe(Identity))
    }

  private final val Identity = "identity"

  /** Decides which splits a micro-batch takes. */
  object Admission {

    /** The next splits within the limits; none if there is nothing to read. */
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

      /** Takes all splits that fit; false when the budget allows nothing more, or when nothing came. */
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
