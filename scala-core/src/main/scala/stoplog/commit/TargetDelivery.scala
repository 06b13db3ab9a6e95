// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.util.control.NonFatal

import stoplog.announce.{AnnouncedFile, Announcement, AnnouncementId, Change, Delivery, PositionedTarget}
import stoplog.error.{AnnounceErrors, Causes, Log, Redaction}
import stoplog.fault.Step
import stoplog.thread.{Backoff, Clock}

/** The delivery of one log to one target, step by step. Announces whole records in order, and repeats a call
  * until the target has the announcements. Only the thread of the target calls [[step]] and [[close]]; any
  * thread may read the figures.
  *
  * A repeated call of a target without a position is half as large. A target that fails now and then
  * completes smaller calls, and each completed call ends the increase of the waits.
  *
  * @param begin the cursor at the start; `None` if the target starts with a snapshot
  */
private[commit] final class TargetDelivery(
    place: Announcer.Place,
    target: Announcer.Target,
    cursor: AnnouncementCursor,
    begin: Option[AnnouncementCursor.Position],
    records: SettledRecords,
    limits: AnnouncementLimits,
    clock: Clock
) {
  import TargetDelivery._

  private val positioned = Some(target.target).collect { case found: PositionedTarget => found }

  // Announcements of the records before `reading` that the target may lack.
  private var pending   = Vector.empty[Announcement]
  private var together  = 0                            // delivered in one call, because they belong together
  private var singly    = 0                            // delivered in calls of one, to find a refused one
  private var most      = MostInCall                   // in one call; less after failures
  private var delivered = Option.empty[AnnouncementId] // of a target with a position, before this run
  private var tries     = 0
  private var writtenAt = clock.elapsedMillis()

  // The last record with announcements that the target has.
  private var last = begin.fold(-1L)(_.last)

  @volatile private var hasBegun = false
  @volatile private var reading  = begin.fold(0L)(_.next) // the next record to derive
  @volatile private var next     = reading                // all earlier records are announced
  @volatile private var durable  = begin.map(_.next)      // as written in the cursor
  @volatile private var headAt   = Option.empty[Long]     // when the oldest waiting record was decided
  @volatile private var counts   = Counts(0, 0, 0)
  @volatile private var error    = Option.empty[String]
  @volatile private var stopped  = false

  def name: String = target.name

  /** Returns the first record that this target needs. Limits the number of kept records. */
  def needed(newest: Long): Long = {
    val first = durable.getOrElse(next)
    limits.onBacklog match {
      case OnBacklog.Gap  => first.max(newest - limits.records + 1)
      case OnBacklog.Fail => first
    }
  }

  /** Returns whether more or older records wait than the limits permit. */
  def exceedsLimits: Boolean =
    lagRecords > limits.records || lagRecords > 0 && headAt.exists(isExpired)

  def figures: TargetFigures = TargetFigures(
    next,
    lagRecords + (if (awaitsSnapshot) 1 else 0), // a snapshot has the place of one record
    if (lagRecords == 0) 0 else headAt.fold(0L)(clock.millis() - _).max(0),
    counts.announced,
    counts.failures,
    counts.gaps,
    error
  )

  /** Returns whether all known records are announced, and the cursor is written. */
  def isDone: Boolean = lagRecords == 0 && (durable.contains(next) || records.available < 0)

  /** Does the next piece of work, and returns what to do before the next step. Never throws, except an
    * interruption.
    *
    * @param isEnding whether no further record follows, so that the cursor is written at once
    */
  def step(isEnding: Boolean): Next =
    try
      if (stopped) Over
      else if (records.origin.isEmpty || records.available < 0) Wait(LongMillis)
      else if (!hasBegun) entered()
      else if (isToDerive) derived()
      else if (pending.nonEmpty) delivering()
      else cursorWritten(isEnding)
    catch {
      case e: InterruptedException => throw e
      // A class of the target's libraries may be missing, or the target may call itself without end.
      case e @ (NonFatal(_) | (_: LinkageError) | (_: StackOverflowError)) =>
        failed(Causes.reason(e), afterMillis = None)
    }

  /** Writes the cursor, and closes the target. */
  def close(): Unit =
    try writeCursor()
    finally target.target.close()

  private def awaitsSnapshot: Boolean = durable.isEmpty && records.available >= 0

  /** Before its snapshot, a target needs no record. */
  private def lagRecords: Long =
    if (awaitsSnapshot && !hasBegun) 0 else (records.available - next + 1).max(0)

  /** While a target fails, records without announcements must not fill the backlog: most epochs finish no
    * file.
    */
  private def isToDerive: Boolean =
    reading <= records.available && (pending.isEmpty || tries > 0 && pending.size < MostInCall)

  /** Records wait from their decision on, also before any record is derived: the target may fail before. */
  private def noteHead(): Unit =
    if (headAt.isEmpty && lagRecords > 0) headAt = records.decidedAtMillis(next)

  private def entered(): Next = {
    noteHead()
    val identity = origin.log.identity
    positionOf match {
      case Some(id) if id.log.identity != identity =>
        stop(AnnounceErrors.positionOfOther(place.path, name, id.toString, identity))
      case Some(id) =>
        endBefore(id.sequence) match {
          case Some(end) => stop(AnnounceErrors.positionAhead(place.path, name, id.toString, end))
          case None      => resume(id)
        }
      case None if positioned.nonEmpty && last >= 0 && !cursor.hasNotedEnd =>
        stop(AnnounceErrors.positionLost(place.path, name, last))
      case None => if (durable.isEmpty) snapshot()
    }
    hasBegun = true
    Again
  }

  /** Returns the end of the log if the position is at a lost record. The log then reuses the numbers of lost
    * records, so a note keeps the fact for later runs (P-135).
    */
  private def endBefore(sequence: Long): Option[Long] = {
    val found = records.endBefore(sequence)
    found.filterNot(_ => records.isOfNewerRun(sequence)).foreach(cursor.noteEnd(sequence, _))
    found.orElse(cursor.notedEnd(sequence))
  }

  private def positionOf: Option[AnnouncementId] = positioned.flatMap(_.position(place.path, place.logName))

  /** Continues after the stored position. The records between the position and the cursor have no
    * announcements, unless the target has lost announcements since.
    */
  private def resume(id: AnnouncementId): Unit = {
    delivered = Some(id)
    cursor.forgetEnds()
    // A new cursor knows no record that the target has: the cursor was lost, or the target has another name.
    reading = if (last >= 0 && id.sequence >= last) id.sequence.max(reading) else id.sequence
    last = last.max(id.sequence)
    next = reading
    pending = Vector.empty
  }

  /** Records after `newest` announce their files themselves, also if the listing contains the files. */
  private def snapshot(): Unit = {
    val newest = records.available
    next = newest + 1 // from now on the log keeps the later records
    reading = next
    val files = place.visible()
    val later = records.publishedAfter(newest)
    pending =
      Announcements.snapshot(files.filterNot(file => later(file.path)), newest, clock.millis(), origin)
    together = pending.size
  }

  private def origin: Announcements.Origin = records.origin.get

  /** Derives the announcements of the next records, up to the size of a call. */
  private def derived(): Next = {
    if (isOverfull) skipTo(records.available - limits.records + 1)
    else
      while (pending.size < MostInCall && reading <= records.available && !isOverfull) deriveOne()
    if (pending.isEmpty) {
      next = reading
      headAt = None
    }
    Again
  }

  private def isOverfull: Boolean =
    limits.onBacklog == OnBacklog.Gap && records.available - reading + 1 > limits.records

  private def deriveOne(): Unit = records.at(reading) match {
    case None         => skipTo(records.firstFrom(reading).filter(_ > reading).getOrElse(reading + 1))
    case Some(record) =>
      val found = record.announcements.filter(isNew)
      if (found.nonEmpty && limits.onBacklog == OnBacklog.Gap && isExpired(record.atMillis))
        skipTo(firstYoung)
      else {
        if (pending.isEmpty) headAt = Some(record.atMillis)
        pending ++= found
        reading += 1
      }
  }

  private def isExpired(atMillis: Long): Boolean = clock.millis() - atMillis > limits.ageMillis

  private def firstYoung: Long =
    Iterator
      .iterate(reading + 1)(_ + 1)
      .find(seq => seq > records.available || records.at(seq).exists(record => !isExpired(record.atMillis)))
      .get

  /** Announces a gap in place of the records before `first`. */
  private def skipTo(first: Long): Unit = {
    val last   = first - 1
    val number = delivered.filter(_.sequence == last).fold(0)(_.number + 1)
    pending :+= origin.announcement(last, number, Change.Gap(reading, last), clock.millis())
    counts = counts.copy(gaps = counts.gaps + 1)
    reading = first
    Log.warn(
      s"Target $name of ${place.path} receives no announcements of the records ${pending.last.change}: too " +
        "many records have waited, or for too long"
    )
  }

  private def isNew(announcement: Announcement): Boolean = delivered.forall(announcement.id.isAfter)

  private def delivering(): Next = {
    noteHead()
    val call =
      if (singly > 0) pending.take(1)
      else if (together > 0) pending.take(together)
      else pending.take(most)
    place.faults.at(Step.BeforeDelivery)
    target.target.deliver(call) match {
      case Delivery.Delivered =>
        place.faults.at(Step.AfterDelivery)
        done(call, counts.copy(announced = counts.announced + call.size))
      case Delivery.Retry(why, after) => failed(why, after)
      case Delivery.Unknown(why)      => unknown(why)
      case refused: Delivery.Refused  => this.refused(call, refused)
    }
  }

  private def done(call: Vector[Announcement], after: Counts): Next = {
    // A table without its first file has no position, and has lost nothing.
    if (positioned.nonEmpty && delivered.isEmpty) {
      delivered = positionOf
      if (delivered.nonEmpty) cursor.forgetEnds()
    }
    counts = after
    if (positioned.isEmpty || delivered.nonEmpty) call.lastOption.foreach(one => last = one.id.sequence)
    pending = pending.drop(call.size)
    together = (together - call.size).max(0)
    singly = (singly - call.size).max(0)
    most = (most * 2).min(MostInCall)
    tries = 0
    error = None
    if (pending.isEmpty) {
      next = reading
      headAt = None
      if (isCursorDue || durable.isEmpty) writeCursor()
    }
    Again
  }

  /** Reads the position of a target that has one: announcements up to the position have taken effect. */
  private def unknown(why: String): Next = {
    positionOf.foreach { id =>
      delivered = Some(id)
      last = last.max(id.sequence)
      pending = pending.filter(isNew)
      together = together.min(pending.size)
    }
    if (pending.isEmpty) done(Vector.empty, counts) else failed(why, afterMillis = None)
  }

  private def refused(call: Vector[Announcement], refused: Delivery.Refused): Next = {
    val without = pending.map(withoutFiles(_, refused.files))
    val first   = call.zip(without).collectFirst { case (all, rest) if all != rest => all }
    val error   =
      AnnounceErrors.refused(place.path, name, first.getOrElse(call.head).id.toString, refused.reason)
    target.onRefused match {
      case OnRefused.Stop =>
        stop(error)
        Again
      case OnRefused.Skip if first.nonEmpty => // repeats the call without the files
        Log.warn(error.getMessage)
        noteError(refused.reason)
        pending = without
        Again
      case OnRefused.Skip if call.size > 1 && together == 0 =>
        singly = call.size
        Again
      case OnRefused.Skip =>
        Log.warn(error.getMessage)
        val after = done(call, counts.copy(failures = counts.failures + 1))
        this.error = Some(Redaction.text(refused.reason))
        after
    }
  }

  private def stop(why: Throwable): Unit = {
    stopped = true
    noteError(why.getMessage)
    Log.warn(why.getMessage)
  }

  private def failed(why: String, afterMillis: Option[Long]): Next = {
    tries += 1
    // A target with a position takes a call as a whole: smaller calls would split a replacement.
    if (positioned.isEmpty) most = (most.min(pending.size) / 2).max(1)
    if (tries == 1)
      Log.warn(s"Target $name of ${place.path} did not receive announcements, and is tried again: $why")
    noteError(why)
    // A target that always requests no wait would receive calls without a pause.
    Pause(afterMillis.filter(_ > 0).getOrElse(backoff.pauseMillis(tries)).min(MostPauseMillis))
  }

  /** The target has thrown an interruption of its own. */
  def interrupted(): Next = failed("the target was interrupted", afterMillis = None)

  /** Notes the first failure for tools, in other processes. */
  private def noteError(why: String): Unit = {
    val text = Redaction.text(why)
    counts = counts.copy(failures = counts.failures + 1)
    if (error.isEmpty)
      Log.tolerating(s"The failure of target $name of ${place.path} could not be recorded") {
        cursor.fail(next, AnnouncementCursor.Failure(text, clock.millis()))
      }
    error = Some(text)
  }

  private def cursorWritten(isEnding: Boolean): Next = {
    if (isEnding || isCursorDue) writeCursor()
    if (isEnding) Over
    else if (durable.contains(next)) Wait(LongMillis)
    else Wait((writtenAt + CursorMillis - clock.elapsedMillis()).max(1))
  }

  private def isCursorDue: Boolean =
    next - durable.getOrElse(0L) >= CursorRecords || clock.elapsedMillis() - writtenAt >= CursorMillis

  /** Writes the cursor unless written. A lost cursor repeats announcements, so a failure is not an error. */
  private def writeCursor(): Unit = if (
    !durable.contains(next) && hasBegun && (durable.nonEmpty || pending.isEmpty)
  ) {
    writtenAt = clock.elapsedMillis()
    Log.tolerating(s"The cursor of target $name of ${place.path} could not be written; it is tried again") {
      cursor.write(AnnouncementCursor.Position(next, origin.log.identity, last))
      durable = Some(next)
    }
  }
}

private[commit] object TargetDelivery {

  /** What a thread does after a step. */
  sealed trait Next

  /** Takes the next step at once. */
  case object Again extends Next

  /** Waits for a new record, at most for this time. */
  final case class Wait(millis: Long) extends Next

  /** Waits for this time: the target has failed. */
  final case class Pause(millis: Long) extends Next

  /** Nothing is left to do. */
  case object Over extends Next

  private final case class Counts(announced: Long, failures: Long, gaps: Long)

  private final val MostInCall      = 100
  private final val CursorRecords   = 100L
  private final val CursorMillis    = 10 * 1000L
  private final val LongMillis      = 60 * 60 * 1000L
  private final val MostPauseMillis = 60 * 60 * 1000L

  /** The announcement keeps its place, also without files. Without a file of a replacement, rows would be
    * lost: the target keeps the former files.
    */
  private def withoutFiles(announcement: Announcement, paths: Set[String]): Announcement = {
    def rest(files: Vector[AnnouncedFile]) = files.filterNot(file => paths(file.path))

    val change = announcement.change match {
      case added: Change.Added     => added.copy(files = rest(added.files))
      case listed: Change.Snapshot => listed.copy(files = rest(listed.files))
      case other                   => other
    }
    announcement.copy(change = change)
  }

  private val backoff = Backoff(firstMillis = 200, mostMillis = 60 * 1000)
}
