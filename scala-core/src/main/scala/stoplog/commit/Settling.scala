// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import stoplog.error.{Errors, Log, StoplogException}
import stoplog.fault.Step
import stoplog.log.MergeNote.{Begun, CalledOff}
import stoplog.log.{LogRecord, MergeNote}
import stoplog.part.Pending
import stoplog.sink.{CommitOutcome, Prepared}
import stoplog.thread.Outcomes

/** Carries out what a record decides (I3): finished parts that it replaces go out of sight, then its own become visible,
  * then the replaced ones are deleted, then follow what it says besides. So no reader sees a row twice. Any process may
  * do it, any number of times.
  *
  * Finished files belong to their readers, who may move or delete them as soon as they see them. So what is visible is
  * noted before anything else is done, and when something fails: a part that is noted is never published again.
  */
private[commit] final class Settling(
    stores: Ledger.Stores,
    identity: SinkIdentity,
    onLost: LostPart,
    followUps: FollowUps,
    tools: DriverTools
) {
  import Settling._
  import stores.{committer, finished}
  import tools.{faults, parallel, retry}

  private val log       = stores.log
  private val announcer = new MarkerWriter(followUps, parallel, retry, faults)

  /** Carries out a record that no process has marked as done. Answers as [[carryOut]]. A record with a newer one behind it
    * was carried out before that one was written, and its run may have removed the mark since it was read.
    */
  def carryOutAgain(record: LogRecord): Boolean =
    if (log.isPublished(record) || log.overtaken(record.seq).isDefined) false
    else carryOut(record, log.visible(record))

  /** All of it, but for these parts, which have been visible. Answers whether no other process was at it: none has
    * published a part, or marked the record. A run that claims the log marks its newest record first, so a driver that
    * was the first to mark it was not fenced until then.
    *
    * Errors: `STOPLOG_PART_LOST`, `STOPLOG_NAME_TAKEN`, `STOPLOG_PART_SHORT`, `STOPLOG_STORE_WRITE`, and those of a
    * user's listener.
    */
  def carryOut(record: LogRecord, visible: Set[String]): Boolean = {
    def isCalledOff = record.isMerge && ends(record) == CalledOff
    if (visible.nonEmpty) show(record, visible) // all before that was done when the first part became visible
    else {
      setAside(record)
      if (isCalledOff) callOff(record) else show(record, visible)
    }
  }

  private def show(record: LogRecord, visible: Set[String]): Boolean = {
    val hidden = record.publish.filter(part => part.sizeBytes > 0 && !visible(part.finishedPath))
    val alone  = publish(record, hidden)
    faults.at(Step.AfterPublish)
    if (hidden.nonEmpty && hasMoreToDo(record)) noteVisible(record, hidden.map(_.finishedPath).toSet)
    forget(record)
    announcer.announce(record)
    mark(record) && alone
  }

  /** Between the parts and the mark, in which time readers may take parts away. */
  private def hasMoreToDo(record: LogRecord): Boolean = record.replace.nonEmpty || !record.follow.isEmpty

  /** How a merge ends is noted once, for all processes, before anything becomes visible.
    *
    * If a reader took an input before it went out of sight, or if the merged part is lost, the merge is called off: its
    * inputs come back. Otherwise it is begun: a reader may take the part away as soon as it is visible; by the note, a recovery
    * that finds it neither staged nor visible knows that it is not lost. Inputs are deleted only after that.
    */
  private def ends(record: LogRecord): MergeNote = {
    val taken = finished.taken(record.seq, record.replace.map(_.path))
    val why   =
      if (taken.nonEmpty) Some(s"a reader has taken ${taken.toSeq.sorted.mkString(", ")} away")
      else record.publish.filterNot(isThere).headOption.map(part => s"${part.handle.brief} is lost")
    val end = retry(() => log.noteMerge(record, why.fold[MergeNote](Begun)(_ => CalledOff)))
    if (end == CalledOff) sayCalledOff(record, why)
    faults.at(Step.MergeNoted)
    end
  }

  /** A part that became visible before anything was noted was published by an earlier version. */
  private def isThere(merged: Pending): Boolean =
    retry(() => committer.isStaged(merged.handle.token)) || finished.sizeBytes(merged.finishedPath).isDefined

  private def sayCalledOff(record: LogRecord, why: Option[String]): Unit = {
    val merged = record.publish.map(part => s"${identity.path}/${part.finishedPath}").mkString(", ")
    Log.warn(
      s"The merge into $merged is called off, and its inputs stay as they are: ${why.getOrElse("another process has noted that")}"
    )
  }

  private def publish(record: LogRecord, hidden: Vector[Pending]): Boolean = {
    val seen = new ConcurrentLinkedQueue[String]
    try {
      val outcomes = parallel.map(hidden) { part =>
        val outcome = retry(() => committer.commit(prepared(part)))
        if (outcome != CommitOutcome.Lost) seen.add(part.finishedPath)
        faults.at(Step.PartPublished)
        outcome
      }
      lost(record, hidden.zip(outcomes).collect { case (part, CommitOutcome.Lost) => part })
      outcomes.forall(_ == CommitOutcome.Committed)
    } catch {
      case NonFatal(e) =>
        if (!seen.isEmpty) note(record, seen.asScala.toSet, e)
        throw e
    }
  }

  /** The earlier failure takes precedence over a failure of this note. */
  private def note(record: LogRecord, visible: Set[String], failure: Throwable): Unit =
    try noteVisible(record, visible)
    catch { case NonFatal(e) => failure.addSuppressed(e) }

  /** Tried again, as the mark is: a part that a reader takes before either of them is there is lost at the next start. */
  private def noteVisible(record: LogRecord, visible: Set[String]): Unit =
    retry(() => log.noteVisible(record, visible))

  /** A part does not count as lost if another process has seen it visible, or if its record is not the newest: then it
    * was there, and a reader or a merge has taken it since. That of a merge that was begun was visible, too ([[ends]]).
    *
    * @param gone all of the record that are: what became of the others is known by now
    */
  private def lost(record: LogRecord, gone: Vector[Pending]): Unit =
    if (gone.nonEmpty && !isDoneByOthers(record) && !record.isMerge) {
      val visible = log.visible(record)
      val parts   = gone.filterNot(part => visible(part.finishedPath))
      if (parts.nonEmpty) passOver(lostOf(record, parts))
    }

  private def lostOf(record: LogRecord, parts: Vector[Pending]): Vector[StoplogException] = {
    val committed = record.publish.count(_.sizeBytes > 0) - parts.size
    committer.lost(parts.map(prepared), committed).fold(parts.map(partLost(_, record)))(Vector(_))
  }

  private def passOver(errors: Vector[StoplogException]): Unit = onLost match {
    case LostPart.Fail => Outcomes.all(errors.map(Left(_))): Unit
    case LostPart.Skip => errors.foreach(Log.warn("Going on without what is lost, as asked for", _))
  }

  private def partLost(part: Pending, record: LogRecord): StoplogException = Errors.partLost(
    s"${identity.path}/${part.finishedPath}",
    part.handle.brief,
    part.bucket,
    record.state.lastEpoch.getOrElse(-1L)
  )

  private def isDoneByOthers(record: LogRecord): Boolean =
    log.overtaken(record.seq).isDefined || log.isPublished(record)

  /** Never shows the merged part, and brings the inputs back that are there. What a process that slept sets aside later is
    * brought back by itself, or by the next sweep.
    */
  private def callOff(record: LogRecord): Boolean = {
    val alone = !isDoneByOthers(record)
    if (alone) undo(record) else bringBackLate(record)
    faults.at(Step.MergeCalledOff)
    mark(record) && alone
  }

  /** Answers whether no other process has done it, which is not known of a mark whose first try had no answer. */
  private def mark(record: LogRecord): Boolean = {
    val first = retry(() => log.markPublished(record))
    faults.at(Step.AfterMark)
    first
  }

  private def setAside(record: LogRecord): Unit = if (record.replace.nonEmpty) {
    parallel.map(record.replace.map(_.path).grouped(finished.together).toVector) { paths =>
      retry(() => finished.hide(record.seq, paths))
      faults.at(Step.MidReplace)
    }
    faults.at(Step.AfterReplace)
  }

  private def undo(record: LogRecord): Unit =
    parallel.map(record.replace)(part => retry(() => finished.restore(record.seq, part.path))): Unit

  /** Brings back inputs of a merge that this process set aside too late: after others had called the merge off, brought them
    * back, and marked the record, which leaves the inputs to readers. All files aside are deleted before a mark: those aside
    * now were put there later.
    */
  private def bringBackLate(record: LogRecord): Unit =
    parallel.map(record.replace)(part => retry(() => finished.restoreLate(record.seq, part.path))): Unit

  /** Before the record is marked: what is left here later could be brought back by a driver that slept all the time, when
    * the part with the rows has been merged again.
    */
  private def forget(record: LogRecord): Unit = if (record.replace.nonEmpty) {
    retry(() => finished.purge(record.seq))
    faults.at(Step.AfterForget)
  }
}

private object Settling {
  private def prepared(part: Pending): Prepared =
    Prepared(part.finishedPath, part.handle.token, part.records, part.sizeBytes)
}
