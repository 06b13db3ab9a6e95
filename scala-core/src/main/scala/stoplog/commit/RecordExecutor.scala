// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import stoplog.error.{Causes, Errors, Log, StoplogException}
import stoplog.fault.Step
import stoplog.log.{LogRecord, RecordOutcome, ReplacementNote, SinkState}
import stoplog.part.{FinishedPart, Pending}
import stoplog.sink.CommitOutcome
import stoplog.storage.ReplacedFiles
import stoplog.thread.Outcomes

/** Carries out the decision of a record (I3). Hides the finished files that the record replaces, shows its
  * parts, deletes the hidden files, and writes the follow-ups. So no reader sees a row twice. Any process may
  * do this, any number of times.
  *
  * Finished files belong to their readers, who may move or delete a visible file immediately. Therefore the
  * paths of visible parts are added to the record's notes before any other step, and also after a failure. A
  * part in the notes is never published again.
  *
  * A record that replaces files may be **called off** until its parts are shown (protocol step 6).
  *
  * @param refused returns why a record that replaces files must not be carried out; called before anything is
  *                hidden
  */
private[commit] final class RecordExecutor(
    stores: Ledger.Stores,
    identity: SinkIdentity,
    onLost: LostPart,
    followUps: FollowUps,
    tools: DriverTools,
    refused: LogRecord => Option[String] = _ => None
) {
  import stores.{committer, finished}
  import tools.{clock, faults, parallel, retry}

  private val log     = stores.log
  private val markers = new MarkerWriter(identity.sinkId, followUps, parallel, retry, faults)

  /** Carries out a record that no process has marked. If a newer record exists, this record was carried out
    * before, and the newer run may have removed the mark since.
    *
    * Errors: those of [[carryOut]].
    */
  def carryOutAgain(record: LogRecord): Settled =
    if (isDone(record)) calledOff(record).getOrElse(Settled.Shown(alone = false, skippedBefore(record)))
    else finish(record, log.visible(record), ending(record))

  /** Carries out a record that this run has just written, whose parts are staged.
    *
    * Errors: `STOPLOG_PART_LOST`, `STOPLOG_NAME_TAKEN`, `STOPLOG_PART_SHORT`, `STOPLOG_STORE_WRITE`.
    */
  def carryOut(record: LogRecord): Settled = finish(record, Set.empty, newEnding(record))

  /** Shows the parts of another run's record. The follow-ups and the mark remain for the other run. */
  def makeVisible(record: LogRecord): Unit = if (!isDone(record)) {
    val visible = log.visible(record)
    val end     = if (visible.isEmpty) ending(record) else ReplacementNote.Publishing
    end match {
      case ReplacementNote.CalledOff(_) => undo(record)
      case ReplacementNote.Publishing   =>
        val hidden = hiddenParts(record, visible)
        publish(record, hidden): Unit
        noteVisible(record, hidden.map(_.finishedPath).toSet)
        bringBackIfMarked(record)
    }
  }

  private def finish(record: LogRecord, visible: Set[String], end: => ReplacementNote): Settled =
    if (visible.nonEmpty)
      show(record, visible) // all earlier steps were done before the first part became visible
    else
      end match {
        case ReplacementNote.Publishing =>
          if (!finished.restores) hide(record): Unit
          show(record, visible)
        case ReplacementNote.CalledOff(why) => callOff(record, why)
      }

  /** Checks the mark first: a check for a newer record costs more. */
  private def isDone(record: LogRecord): Boolean =
    log.isPublished(record) || log.overtaken(record.seq).isDefined

  private def calledOff(record: LogRecord): Option[Settled] =
    if (!record.replaces) None
    else
      log.notedReplacement(record).collect { case ReplacementNote.CalledOff(why) =>
        Settled.CalledOff(alone = false, why)
      }

  /** Returns the skipped parts by the notes. Only the totals of buckets depend on them later. */
  private def skippedBefore(record: LogRecord): Set[String] =
    if (record.publish.isEmpty || record.state.live.isEmpty) Set.empty
    else
      log.outcome(record.seq) match {
        case RecordOutcome.Skipped(paths) => paths
        case _                            => Set.empty
      }

  /** Returns the recorded end, or else decides the end. */
  private def ending(record: LogRecord): ReplacementNote =
    if (!record.replaces) ReplacementNote.Publishing
    else log.notedReplacement(record).getOrElse(newEnding(record))

  /** Hides the replaced files, and records the end of the record once, for all processes, before anything
    * becomes visible.
    *
    * The record is called off if a part is lost, or if a file cannot be hidden. The record is also called off
    * if a reader took an input of a compaction before it was hidden: the compacted part would repeat its
    * rows. Otherwise the replacement has started: from then on a reader may take a part as soon as the part
    * is visible. Where a hidden file cannot be restored, the end is recorded before the first file is hidden.
    */
  private def newEnding(record: LogRecord): ReplacementNote =
    if (!record.replaces) ReplacementNote.Publishing
    else {
      val before = refused(record).orElse(checkStaged(record))
      val why    =
        if (finished.restores) before.orElse(hide(record)).orElse(taken(record)) else before
      val end =
        retry(() =>
          log.noteReplacement(
            record,
            why.fold[ReplacementNote](ReplacementNote.Publishing)(ReplacementNote.CalledOff(_))
          )
        )
      faults.at(Step.ReplacementNoted)
      // A note is trimmed with its record: this may be the second note, of a process that slept.
      if (log.overtaken(record.seq).isEmpty) end else endedByOthers(record)
    }

  /** Returns the end decided by others, who have replaced files since. Restores files hidden late. */
  private def endedByOthers(record: LogRecord): ReplacementNote = {
    bringBackLate(record)
    if (record.publish.isEmpty || !mayBeCalledOff(record)) ReplacementNote.Publishing
    else ReplacementNote.CalledOff("other jobs have called it off, and replaced files since")
  }

  /** Uploads do not show whether a part became visible. Where parts are uploads, only a refused job is called
    * off.
    */
  private def mayBeCalledOff(record: LogRecord): Boolean =
    if (finished.hidesAtOnce || record.isCompaction) checkStaged(record).isEmpty
    else refused(record).isDefined

  /** Returns why a part is lost: a job that considered this job dead may have deleted the part. If parts are
    * uploads, a check costs a request for each part and cannot detect an aborted upload. Then only compacted
    * parts are checked, whose last bytes are staged separately.
    */
  private def checkStaged(record: LogRecord): Option[String] =
    if (!finished.hidesAtOnce && !record.isCompaction) None
    else {
      val parts = record.publish.filter(_.sizeBytes > 0)
      val there = parallel.map(parts)(isThere)
      parts.zip(there).collectFirst { case (part, false) => s"its part ${part.handle.brief} is lost" }
    }

  private def isThere(part: Pending): Boolean = retry(() => committer.output.isStaged(part.handle.token))

  /** Returns why a file could not be hidden. If hiding takes several steps, a slow process could hide a file
    * again that others have restored. The failure is thrown then, and the next process continues.
    */
  private def hide(record: LogRecord): Option[String] = {
    val progress = progressOf("Hiding the replaced files", record, record.replace.size)
    val failure  = ReplacedFiles
      .hidingOrder(record.replace)
      .iterator
      .flatMap(hide(record, _, progress)) // no group after a failed group
      .nextOption()
    faults.at(Step.AfterReplace)
    failure.map(e => s"a file that it replaces cannot be hidden (${Causes.reason(e)})")
  }

  private def hide(record: LogRecord, together: Vector[FinishedPart], progress: StepProgress) =
    parallel
      .map(together.grouped(finished.together).toVector) { parts =>
        val failure =
          try {
            retry(() => if (!isTooLate(record)) finished.hide(record.seq, parts))
            None
          } catch { case e: StoplogException if finished.hidesAtOnce => Some(e) }
        progress.add(parts.size)
        faults.at(Step.MidReplace)
        failure
      }
      .flatten

  /** Returns whether a file hidden now may have been created after the record was carried out, and could not
    * be restored. The mark alone is no evidence, because it may have been deleted since (P-64).
    */
  private def isTooLate(record: LogRecord): Boolean = !finished.hidesAtOnce && isDone(record)

  private def taken(record: LogRecord): Option[String] =
    if (!record.isCompaction) None
    else {
      val gone = finished.taken(record.seq, record.replace.map(_.path))
      Option.when(gone.nonEmpty)(s"a reader has moved ${gone.toSeq.sorted.mkString(", ")}")
    }

  private def show(record: LogRecord, visible: Set[String]): Settled = {
    val hidden    = hiddenParts(record, visible)
    val published = publish(record, hidden)
    faults.at(Step.AfterPublish)
    if (hidden.nonEmpty && hasMoreToDo(record)) noteVisible(record, hidden.map(_.finishedPath).toSet)
    forget(record)
    if (!isReplacedSince(record))
      markers.announce(record.as(RecordOutcome.skipping(published.skipped)), visible)(noteVisible(record, _))
    Settled.Shown(mark(record) && published.alone, published.skipped)
  }

  /** Returns whether other processes have carried out a replacement, with its markers. The next replacement
    * may have hidden these markers since, and a late marker would count files that do not exist any more.
    */
  private def isReplacedSince(record: LogRecord): Boolean =
    record.replaces && !record.follow.isEmpty && isDoneByOthers(record)

  private def hiddenParts(record: LogRecord, visible: Set[String]): Vector[Pending] =
    record.publish.filter(part => part.sizeBytes > 0 && !visible(part.finishedPath))

  /** Returns whether steps remain between the parts and the mark, while readers may take parts away. */
  private def hasMoreToDo(record: LogRecord): Boolean = record.replace.nonEmpty || !record.follow.isEmpty

  private def publish(record: LogRecord, hidden: Vector[Pending]): RecordExecutor.Published = {
    val seen     = new ConcurrentLinkedQueue[String]
    val progress = progressOf("Publishing the files", record, hidden.size)
    try {
      val outcomes = parallel.map(hidden) { part =>
        val outcome = retry(() => committer.publish(part))
        if (outcome != CommitOutcome.Lost) seen.add(part.finishedPath)
        progress.add(1)
        faults.at(Step.PartPublished)
        outcome
      }
      val skipped = lost(record, hidden.zip(outcomes).collect { case (part, CommitOutcome.Lost) => part })
      RecordExecutor.Published(outcomes.forall(_ == CommitOutcome.Committed), skipped)
    } catch {
      case NonFatal(e) =>
        if (!seen.isEmpty) note(record, seen.asScala.toSet, e)
        throw e
    }
  }

  private def progressOf(step: String, record: LogRecord, files: Int): StepProgress =
    new StepProgress(s"$step of record ${record.seq} of ${identity.path}", files, clock, Log.warn)

  /** Records visible parts after a failure, which takes precedence over a failure here. */
  private def note(record: LogRecord, visible: Set[String], failure: Throwable): Unit =
    try noteVisible(record, visible)
    catch { case NonFatal(e) => failure.addSuppressed(e) }

  /** Retries, like the mark: a part taken by a reader before note and mark is lost at the next start. */
  private def noteVisible(record: LogRecord, visible: Set[String]): Unit =
    retry(() => log.noteVisible(record, visible))

  /** Reports lost parts. A part is not lost if another process has seen the part, or if its record is not the
    * newest. The part was visible then, and a reader or a compaction has taken the part since. After the
    * start of a replacement all its parts were staged, so a missing part was visible ([[newEnding]]).
    *
    * @param gone all missing parts of the record; the outcomes of all other parts are known by now
    * @return the paths of skipped parts
    */
  private def lost(record: LogRecord, gone: Vector[Pending]): Set[String] =
    if (gone.isEmpty || isDoneByOthers(record) || wasStaged(record)) Set.empty
    else {
      val visible = log.visible(record)
      val parts   = gone.filterNot(part => visible(part.finishedPath))
      val paths   = parts.iterator.map(_.finishedPath).toSet
      if (parts.nonEmpty) {
        passOver(lostOf(record, parts))
        retry(() => log.noteSkipped(record, paths))
      }
      paths
    }

  private def wasStaged(record: LogRecord): Boolean =
    record.isCompaction || record.replaces && finished.hidesAtOnce

  private def lostOf(record: LogRecord, parts: Vector[Pending]): Vector[StoplogException] = {
    val committed = record.publish.count(_.sizeBytes > 0) - parts.size
    committer.lost(parts, committed).fold(parts.map(partLost(_, record)))(Vector(_))
  }

  private def passOver(errors: Vector[StoplogException]): Unit = onLost match {
    case LostPart.Fail => Outcomes.all(errors.map(Left(_))): Unit
    case LostPart.Skip =>
      errors.foreach { e =>
        Log.warn(s"Continuing without the lost parts, because ${RecordExecutor.optionOf(e)} is skip", e)
      }
  }

  private def partLost(part: Pending, record: LogRecord): StoplogException = Errors.partLost(
    s"${identity.path}/${part.finishedPath}",
    part.handle.brief,
    part.bucket,
    record.state.lastEpoch.getOrElse(-1L)
  )

  private def isDoneByOthers(record: LogRecord): Boolean =
    log.overtaken(record.seq).isDefined || log.isPublished(record)

  /** Calls the record off: never shows its parts, and restores the hidden files. If a process that slept
    * hides a file later, the same process or the next sweep restores the file.
    */
  private def callOff(record: LogRecord, why: String): Settled = {
    Log.warn(
      s"Record ${record.seq} of ${identity.path} (${identity.sinkId}) is called off, and the files that it " +
        s"replaces stay: $why"
    )
    val alone = !isDoneByOthers(record)
    if (alone) undo(record) else bringBackLate(record)
    faults.at(Step.ReplacementCalledOff)
    Settled.CalledOff(mark(record) && alone, why)
  }

  /** Returns whether no other process has marked the record; unknown if the first try had no response. */
  private def mark(record: LogRecord): Boolean = {
    val first = retry(() => log.markPublished(record))
    faults.at(Step.AfterMark)
    first
  }

  private def undo(record: LogRecord): Unit =
    ReplacedFiles.hidingOrder(record.replace).reverse.foreach { together =>
      parallel.map(together)(part => retry(() => finished.restore(record.seq, part.path)))
    }

  /** Restores files that this process hid too late: others had marked the record, and restored the files or
    * created other files since. All hidden files are deleted or restored before a mark, so all files hidden
    * now were hidden later.
    */
  private def bringBackLate(record: LogRecord): Unit =
    parallel.map(record.replace)(part => retry(() => finished.restoreLate(record.seq, part.path))): Unit

  private def bringBackIfMarked(record: LogRecord): Unit =
    if (record.replace.nonEmpty && log.isPublished(record)) bringBackLate(record)

  /** Deletes the hidden files before the record is marked. A driver that slept all the time could otherwise
    * restore a file after the part with its rows has been compacted again.
    */
  private def forget(record: LogRecord): Unit = if (record.replace.nonEmpty) {
    bringBackIfMarked(record)
    retry(() => finished.purge(record.seq))
    faults.at(Step.AfterForget)
  }
}

private object RecordExecutor {

  /** @param alone   whether no other process published a part
    * @param skipped the paths of lost parts
    */
  private final case class Published(alone: Boolean, skipped: Set[String])

  /** Returns the option that skips the loss: the error of a target names the target's own option. */
  private def optionOf(lost: StoplogException): String =
    lost.getMessageParameters.getOrDefault("option", "onLostPart")
}

/** The result of carrying out a record.
  *
  * `alone` is false if another process took part: the other process published a part, or marked the record. A
  * run that claims the log marks its newest record first, so a driver that marked a record first was not
  * fenced until then.
  */
private[stoplog] sealed trait Settled extends Product with Serializable {
  def alone: Boolean

  /** Returns the outcome of a record which this process has carried out at its first attempt. */
  def outcome: RecordOutcome

  /** Returns the state to continue with after this record, whose planned state is `state`. */
  final def after(record: LogRecord, state: SinkState): SinkState = record.after(outcome, state)
}

private[stoplog] object Settled {

  /** The record's parts are visible, or were visible.
    *
    * @param skipped the paths of parts which this process has found lost, and skipped
    */
  final case class Shown(alone: Boolean, skipped: Set[String] = Set.empty) extends Settled {
    override def outcome: RecordOutcome = RecordOutcome.skipping(skipped)
  }

  /** The replaced files stay, and the parts of the record are never shown.
    *
    * @param why a clause for messages
    */
  final case class CalledOff(alone: Boolean, why: String) extends Settled {
    override def outcome: RecordOutcome = RecordOutcome.CalledOff
  }
}
