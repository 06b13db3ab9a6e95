// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import stoplog.error.{Causes, Errors, Log, StoplogException}
import stoplog.fault.Step
import stoplog.log.{LogRecord, ReplacementNote, SinkState}
import stoplog.part.Pending
import stoplog.sink.{CommitOutcome, Prepared}
import stoplog.storage.ReplacedFiles
import stoplog.thread.Outcomes

/** Carries out what a record decides (I3): hides the finished files that the record replaces, shows its parts, deletes the
  * hidden files, and writes what follows. So no reader sees a row twice. Any process may do this, any number of times.
  *
  * Finished files belong to their readers, who may move or delete them as soon as they see them. Therefore visible parts are
  * noted before anything else is done, and when something fails: a noted part is never published again.
  *
  * A record that replaces files may be **called off** until its parts are shown (protocol step 6).
  *
  * @param refused why a record that replaces files must not be carried out, which is checked before anything is hidden
  */
private[commit] final class Settling(
    stores: Ledger.Stores,
    identity: SinkIdentity,
    onLost: LostPart,
    followUps: FollowUps,
    tools: DriverTools,
    refused: LogRecord => Option[String] = _ => None
) {
  import Settling._
  import stores.{committer, finished}
  import tools.{faults, parallel, retry}

  private val log       = stores.log
  private val announcer = new MarkerWriter(identity.sinkId, followUps, parallel, retry, faults)

  /** Carries out a record that no process has marked as done. A record with a newer one after it was carried out before the
    * newer one was written, and its run may have removed the mark since.
    *
    * Errors: as of [[carryOut]].
    */
  def carryOutAgain(record: LogRecord): Settled =
    if (isDone(record)) calledOff(record).getOrElse(Settled.Shown(alone = false))
    else finish(record, log.visible(record), ending(record))

  /** Carries out a record that this run has just written, whose parts are staged.
    *
    * Errors: `STOPLOG_PART_LOST`, `STOPLOG_NAME_TAKEN`, `STOPLOG_PART_SHORT`, `STOPLOG_STORE_WRITE`, and those of a
    * user's listener.
    */
  def carryOut(record: LogRecord): Settled = finish(record, Set.empty, newEnding(record))

  /** Shows the parts of a record of another run, and leaves what follows, and the mark, to that run. */
  def makeVisible(record: LogRecord): Unit = if (!isDone(record)) {
    val visible = log.visible(record)
    val end     = if (visible.isEmpty) ending(record) else ReplacementNote.Begun
    end match {
      case ReplacementNote.CalledOff(_) => undo(record)
      case ReplacementNote.Begun        =>
        val hidden = hiddenParts(record, visible)
        publish(record, hidden)
        noteVisible(record, hidden.map(_.finishedPath).toSet)
    }
  }

  private def finish(record: LogRecord, visible: Set[String], end: => ReplacementNote): Settled =
    if (visible.nonEmpty)
      show(record, visible) // everything before was done when the first part became visible
    else
      end match {
        case ReplacementNote.Begun =>
          if (!finished.restores) hide(record): Unit
          show(record, visible)
        case ReplacementNote.CalledOff(why) => callOff(record, why)
      }

  /** The mark costs less to look for than a newer record. */
  private def isDone(record: LogRecord): Boolean =
    log.isPublished(record) || log.overtaken(record.seq).isDefined

  private def calledOff(record: LogRecord): Option[Settled] =
    if (!record.replaces) None
    else
      log.notedReplacement(record).collect { case ReplacementNote.CalledOff(why) =>
        Settled.CalledOff(alone = false, why)
      }

  /** The noted end, or else a new one. */
  private def ending(record: LogRecord): ReplacementNote =
    if (!record.replaces) ReplacementNote.Begun
    else log.notedReplacement(record).getOrElse(newEnding(record))

  /** Hides the replaced files, and notes once, for all processes, how the record ends, before anything becomes visible.
    *
    * The record is called off if a part is lost, if a file cannot be hidden, or if a reader took an input of a compaction
    * before the input was hidden: the compacted part would repeat its rows. Otherwise the replacement is begun: from then
    * on a reader may take a part as soon as the part is visible. Where a hidden file cannot be brought back, the note comes
    * before the first file is hidden.
    */
  private def newEnding(record: LogRecord): ReplacementNote =
    if (!record.replaces) ReplacementNote.Begun
    else {
      val before = refused(record).orElse(checkStaged(record))
      val why    =
        if (finished.restores) before.orElse(hide(record)).orElse(taken(record)) else before
      val end =
        retry(() =>
          log.noteReplacement(
            record,
            why.fold[ReplacementNote](ReplacementNote.Begun)(ReplacementNote.CalledOff(_))
          )
        )
      faults.at(Step.ReplacementNoted)
      // A note is trimmed with its record: this one may be the second, of a process that slept.
      if (log.overtaken(record.seq).isEmpty) end else endedByOthers(record)
    }

  /** Others have ended the record, and replaced files since. What this process hid late comes back. */
  private def endedByOthers(record: LogRecord): ReplacementNote = {
    bringBackLate(record)
    if (checkStaged(record).isDefined || record.publish.isEmpty) ReplacementNote.Begun
    else ReplacementNote.CalledOff("other jobs have called it off, and replaced files since")
  }

  /** A part may have been deleted by a job that took this one for dead. Where a part is an upload, a look at each part costs a
    * request and cannot tell whether its upload was aborted: there only compacted parts are looked at, whose end is staged apart.
    */
  private def checkStaged(record: LogRecord): Option[String] =
    if (!finished.hidesAtOnce && !record.isMerge) None
    else {
      val parts = record.publish.filter(_.sizeBytes > 0)
      val there = parallel.map(parts)(isThere)
      parts.zip(there).collectFirst { case (part, false) => s"its part ${part.handle.brief} is lost" }
    }

  private def isThere(part: Pending): Boolean = retry(() => committer.isStaged(part.handle.token))

  /** Returns why a file could not be hidden. Where hiding is not one step, a process that is slow could hide a file again
    * that others have brought back: then the failure is thrown, and the next process goes on.
    */
  private def hide(record: LogRecord): Option[String] = {
    val failure = ReplacedFiles
      .hidingOrder(record.replace.map(_.path))
      .iterator
      .flatMap(hide(record.seq, _)) // no group after one that failed
      .nextOption()
    faults.at(Step.AfterReplace)
    failure.map(e => s"a file that it replaces cannot be hidden (${Causes.reason(e)})")
  }

  private def hide(seq: Long, together: Vector[String]): Seq[Throwable] =
    parallel
      .map(together.grouped(finished.together).toVector) { paths =>
        val failure =
          try {
            retry(() => finished.hide(seq, paths))
            None
          } catch { case e: StoplogException if finished.hidesAtOnce => Some(e) }
        faults.at(Step.MidReplace)
        failure
      }
      .flatten

  private def taken(record: LogRecord): Option[String] =
    if (!record.isMerge) None
    else {
      val gone = finished.taken(record.seq, record.replace.map(_.path))
      Option.when(gone.nonEmpty)(s"a reader has taken ${gone.toSeq.sorted.mkString(", ")} away")
    }

  private def show(record: LogRecord, visible: Set[String]): Settled = {
    val hidden = hiddenParts(record, visible)
    val alone  = publish(record, hidden)
    faults.at(Step.AfterPublish)
    if (hidden.nonEmpty && hasMoreToDo(record)) noteVisible(record, hidden.map(_.finishedPath).toSet)
    forget(record)
    announcer.announce(record, visible)(noteVisible(record, _))
    Settled.Shown(mark(record) && alone)
  }

  private def hiddenParts(record: LogRecord, visible: Set[String]): Vector[Pending] =
    record.publish.filter(part => part.sizeBytes > 0 && !visible(part.finishedPath))

  /** Between the parts and the mark, in which time readers may take parts away. */
  private def hasMoreToDo(record: LogRecord): Boolean = record.replace.nonEmpty || !record.follow.isEmpty

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
    * was there, and a reader or a merge has taken it since. If a replacement was begun, all its parts were staged then, so a
    * part that is gone was visible ([[newEnding]]).
    *
    * @param gone all of the record that are: what became of the others is known by now
    */
  private def lost(record: LogRecord, gone: Vector[Pending]): Unit =
    if (gone.nonEmpty && !isDoneByOthers(record) && !wasStaged(record)) {
      val visible = log.visible(record)
      val parts   = gone.filterNot(part => visible(part.finishedPath))
      if (parts.nonEmpty) passOver(lostOf(record, parts))
    }

  private def wasStaged(record: LogRecord): Boolean =
    record.isMerge || record.replaces && finished.hidesAtOnce

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

  /** Never shows the record's parts, and brings the hidden files back. What a process that slept hides later, that process
    * brings back itself, or the next sweep does.
    */
  private def callOff(record: LogRecord, why: String): Settled = {
    Log.warn(
      s"Record ${record.seq} of ${identity.path} (${identity.sinkId}) is called off, and the files that it replaces stay: $why"
    )
    val alone = !isDoneByOthers(record)
    if (alone) undo(record) else bringBackLate(record)
    faults.at(Step.ReplacementCalledOff)
    Settled.CalledOff(mark(record) && alone, why)
  }

  /** Answers whether no other process has done it, which is not known of a mark whose first try had no answer. */
  private def mark(record: LogRecord): Boolean = {
    val first = retry(() => log.markPublished(record))
    faults.at(Step.AfterMark)
    first
  }

  private def undo(record: LogRecord): Unit =
    ReplacedFiles.hidingOrder(record.replace.map(_.path)).reverse.foreach { together =>
      parallel.map(together)(path => retry(() => finished.restore(record.seq, path)))
    }

  /** Brings back files that this process hid too late: after others had called the record off, brought the files back, and
    * marked the record. All hidden files are deleted before a mark: those hidden now were hidden later.
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

/** The end of a record that was carried out.
  *
  * `alone` is false if another process was at it as well: it published a part, or marked the record. A run that claims the
  * log marks its newest record first, so a driver that was the first to mark a record was not fenced until then.
  */
private[stoplog] sealed trait Settled extends Product with Serializable {
  def alone: Boolean

  /** The state to go on with after this record, which was to leave that state. */
  def after(record: LogRecord, state: SinkState): SinkState
}

private[stoplog] object Settled {

  /** The record's parts are, or were, visible. */
  final case class Shown(alone: Boolean) extends Settled {
    override def after(record: LogRecord, state: SinkState): SinkState = state
  }

  /** The files that the record replaces stay, and its parts are never shown.
    *
    * @param why a clause for messages
    */
  final case class CalledOff(alone: Boolean, why: String) extends Settled {

    override def after(record: LogRecord, state: SinkState): SinkState = record.calledOff(state)
  }
}

private object Settling {
  private def prepared(part: Pending): Prepared =
    Prepared(part.finishedPath, part.handle.token, part.records, part.sizeBytes)
}
