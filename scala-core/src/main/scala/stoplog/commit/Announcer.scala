// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.util.control.NonFatal

import stoplog.announce.{Announcement, AnnouncementTarget, Change, Delivery, LogId, PositionedTarget}
import stoplog.error.{AnnounceErrors, Log}
import stoplog.fault.{Faults, Step}
import stoplog.log.{CommitLog, LogIdentity, LogRecord, RecordOutcome}
import stoplog.storage.{FileStore, VisibleFile}
import stoplog.thread.{Clock, Stopwatch, Uninterrupted}

/** Announces the records of one log to all targets of a run, each on a thread of its own. Nothing here delays
  * or fails an epoch, except `announceOnBacklog=fail`, by [[refuseBacklog]].
  *
  * @param records the records to announce
  */
private[stoplog] final class Announcer private (
    place: Announcer.Place,
    records: SettledRecords,
    deliveries: Vector[AnnouncerThread],
    limits: AnnouncementLimits
) extends Announcing {

  override def claimed(seq: Long): Unit = records.claimed(seq)

  override def settled(record: LogRecord, outcome: => RecordOutcome): Unit =
    Log.tolerating(s"A record of ${place.path} could not be passed to the targets of announcements") {
      records.settled(record, outcome)
      deliveries.foreach(_.wake())
    }

  override def recovered(newest: Long): Unit = {
    records.recovered(newest)
    deliveries.foreach(_.wake())
  }

  override def keepFrom(newest: Long): Long =
    deliveries.iterator.map(_.delivery.needed(newest)).minOption.getOrElse(Long.MaxValue)

  /** Throws if too many records wait for a target, and the query must fail in this case.
    *
    * Error: `STOPLOG_ANNOUNCEMENT_BACKLOG`.
    */
  def refuseBacklog(): Unit = if (limits.onBacklog == OnBacklog.Fail)
    deliveries.iterator.map(_.delivery).find(_.exceedsLimits).foreach { delivery =>
      val figures = delivery.figures
      throw AnnounceErrors.backlog(place.path, delivery.name, figures.lagRecords, figures.lastError)
    }

  /** Returns the figures of each target by name. */
  def figures: Vector[(String, TargetFigures)] =
    deliveries.map(thread => thread.delivery.name -> thread.delivery.figures)

  /** Returns the metrics of all targets, and of each target. */
  def metrics: Seq[(String, Long)] = Announcer.metrics(figures)

  /** Waits for the targets, at most for the time of the limits, and ends all threads. Never throws. Further
    * calls return the same result at once.
    *
    * @return whether each target has received all announcements
    */
  def end(): Boolean = hasAllDelivered

  private lazy val hasAllDelivered: Boolean = {
    val watch = new Stopwatch(Clock.system)
    deliveries.foreach(_.finish())
    val missing = deliveries.filterNot(_.ended((limits.endMillis - watch.millis).max(0)))
    missing.foreach(thread => Log.warn(leftOf(thread.delivery)))
    if (missing.isEmpty) place.faults.at(Step.AllAnnounced)
    missing.isEmpty
  }

  private def leftOf(delivery: TargetDelivery): String =
    s"Target ${delivery.name} of ${place.path} did not receive all announcements of the log ${place.logName} " +
      s"within ${limits.endMillis} ms (announceAtEnd): ${delivery.figures.lagRecords} records wait. The next run " +
      "with this target, or the command announce, delivers them"
}

private[stoplog] object Announcer {

  /** The log whose records are announced.
    *
    * @param path    as written by the user
    * @param sinkId  the sink in announcements
    * @param logName the name of the log: `sinkId`, or the name of a job, or of the log of replacements
    * @param log     creates an object of the log for one thread
    * @param visible lists the files that readers see
    */
  final case class Place(
      path: String,
      sinkId: String,
      logName: String,
      files: FileStore,
      log: () => CommitLog,
      visible: () => Vector[VisibleFile],
      faults: Faults
  )

  /** A configured target, opened. */
  final case class Target(
      name: String,
      target: AnnouncementTarget,
      first: FirstAnnouncement,
      onRefused: OnRefused
  )

  /** Starts the threads of the targets, and notes where new targets start, before the run decides anything.
    *
    * @param next   the first record of a target without a cursor, for a job; `None` for the record after the
    *               newest record. A target that starts with a snapshot starts there only if a job finds a
    *               position of the target in another log of the path
    *
    * Error: `STOPLOG_STORE_WRITE`.
    */
  def start(
      place: Place,
      targets: Vector[Target],
      limits: AnnouncementLimits,
      next: Option[Long] = None,
      clock: Clock = Clock.system
  ): Announcer = {
    val log        = place.log()
    val newest     = log.newest()
    val records    = new SettledRecords(log, place, newest)
    val deliveries = targets.map { target =>
      val cursor = new AnnouncementCursor(place.files, place.logName, target.name, place.faults)
      val begin  = entered(cursor, log, newest, target.first, next)
      new TargetDelivery(place, target, cursor, begin, records, limits, clock)
    }
    new Announcer(place, records, deliveries.map(new AnnouncerThread(_, clock)), limits)
  }

  /** Sends one announcement without files to a target, and closes the target. Only checks a target with a
    * position.
    *
    * Error: `STOPLOG_ANNOUNCEMENT_UNDELIVERED`.
    */
  def tried(path: String, sinkId: String, name: String, target: AnnouncementTarget): Unit =
    try {
      target.check()
      target match {
        case _: PositionedTarget => () // a test announcement would move the position
        case plain               =>
          undelivered(plain.deliver(Vector(test(path, sinkId))))
            .foreach(why => throw AnnounceErrors.undelivered(path, name, 0, Some(why)))
      }
    } finally target.close()

  private def test(path: String, sinkId: String): Announcement = Announcements
    .Origin(path, sinkId, LogId(sinkId, TestIdentity))
    .announcement(0, 0, Change.Snapshot("", Vector.empty), Clock.system.millis())

  private def undelivered(outcome: Delivery): Option[String] = outcome match {
    case Delivery.Delivered       => None
    case Delivery.Retry(why, _)   => Some(why)
    case Delivery.Unknown(why)    => Some(why)
    case Delivery.Refused(why, _) => Some(why)
  }

  /** Returns the position of a target, and writes the position of a new target. */
  private[commit] def entered(
      cursor: AnnouncementCursor,
      log: CommitLog,
      newest: Option[LogRecord],
      first: FirstAnnouncement,
      next: Option[Long]
  ): Option[AnnouncementCursor.Position] = {
    val identity = newest.flatMap(record => LogIdentity.of(record.state)).getOrElse("")
    val after    = newest.fold(0L)(_.seq + 1)
    def isListed =
      cursor.awaitsSnapshot || first == FirstAnnouncement.Snapshot && (next.isEmpty || cursor.isOfNewTarget)
    cursor.read() match {
      case Some(found) if !found.isIn(identity) => Some(restarted(cursor, 0, ""))
      case Some(found) if found.next > after && log.endsBefore(found.next - 1) => // the log has lost records
        Some(restarted(cursor, after, identity))
      case Some(found)      => Some(found)
      case None if isListed =>
        cursor.announceSnapshot()
        None
      case None =>
        val position = AnnouncementCursor.Position(next.getOrElse(after), identity)
        cursor.write(position)
        Some(position)
    }
  }

  /** A log that was deleted is announced from its first record, and a log that has lost records from its next
    * record.
    */
  private def restarted(
      cursor: AnnouncementCursor,
      next: Long,
      identity: String
  ): AnnouncementCursor.Position = {
    val position = AnnouncementCursor.Position(next, identity)
    cursor.restart(position)
    position
  }

  private[stoplog] def metrics(figures: Seq[(String, TargetFigures)]): Seq[(String, Long)] = {
    val all = figures.map(_._2)
    Seq(
      "announcementLagRecords" -> all.map(_.lagRecords).maxOption.getOrElse(0L),
      "announcementLagMillis"  -> all.map(_.lagMillis).maxOption.getOrElse(0L),
      "announced"              -> all.map(_.announced).sum,
      "announcementFailures"   -> all.map(_.failures).sum,
      "announcementGaps"       -> all.map(_.gaps).sum
    ) ++ figures.flatMap { case (name, target) =>
      Seq(
        s"announce.$name.lagRecords" -> target.lagRecords,
        s"announce.$name.lagMillis"  -> target.lagMillis,
        s"announce.$name.next"       -> target.next,
        s"announce.$name.failures"   -> target.failures
      )
    }
  }

  /** The identity in test announcements, which no log has. */
  private final val TestIdentity = "00000000-0000-0000-0000-000000000000"
}

/** The figures of one target.
  *
  * @param next       the first record that the target does not have
  * @param lagRecords the number of records that wait
  * @param lagMillis  the age of the oldest waiting record
  * @param announced  the number of delivered announcements of this run
  * @param failures   the number of failed calls of this run
  * @param gaps       the number of gaps of this run
  * @param lastError  a clause; `None` after a successful call
  */
private[stoplog] final case class TargetFigures(
    next: Long,
    lagRecords: Long,
    lagMillis: Long,
    announced: Long,
    failures: Long,
    gaps: Long,
    lastError: Option[String]
)

/** The thread of one target. */
private[commit] final class AnnouncerThread(val delivery: TargetDelivery, clock: Clock) {
  private val monitor             = new Object
  private var woken               = false
  @volatile private var isEnding  = false
  @volatile private var isAborted = false

  private val thread = new Thread(() => run(), s"stoplog-announcer-${delivery.name}")
  thread.setDaemon(true)
  thread.start()

  /** Called after a new record. */
  def wake(): Unit = monitor.synchronized {
    woken = true
    monitor.notifyAll()
  }

  /** Ends the thread after the last record. */
  def finish(): Unit = {
    isEnding = true
    wake()
  }

  /** Waits for the end. After this time, interrupts a target that blocks. Returns whether nothing is left. */
  def ended(millis: Long): Boolean = {
    join(millis.max(1))
    if (thread.isAlive) {
      isAborted = true
      thread.interrupt()
      join(AnnouncerThread.AbortMillis)
    }
    !thread.isAlive && delivery.isDone
  }

  private def join(millis: Long): Unit =
    Uninterrupted.within(millis) { left => thread.join(left.max(1)); true }: Unit

  private def run(): Unit =
    try while (!isAborted && !isOver) ()
    finally {
      Thread.interrupted(): Unit // the cursor is written in any case
      try delivery.close()
      catch { case NonFatal(e) => Log.warn(s"Target ${delivery.name} could not be closed", e) }
    }

  private def isOver: Boolean =
    try {
      val wasEnding = isEnding
      step() match {
        case TargetDelivery.Again                                  => false
        case TargetDelivery.Over                                   => true
        case TargetDelivery.Wait(_) if isEnding && delivery.isDone => true
        case TargetDelivery.Wait(millis)                           =>
          await(millis)
          false
        case TargetDelivery.Pause(millis) =>
          pause(millis, wasEnding)
          false
      }
    } catch { case _: InterruptedException => false } // by [[ended]], after `isAborted` was set

  /** Performs one step. The thread continues if a target throws an interruption, or leaves the thread
    * interrupted.
    */
  private def step(): TargetDelivery.Next = {
    val next =
      try delivery.step(isEnding)
      catch { case _: InterruptedException if !isAborted => delivery.interrupted() }
    if (!isAborted) Thread.interrupted(): Unit
    next
  }

  /** Waits for a new record. */
  private def await(millis: Long): Unit = monitor.synchronized {
    if (!woken && !isAborted) monitor.wait(millis.max(1))
    woken = false
  }

  /** Waits for the whole time, also if records arrive. The end of the run ends the wait: a target that is
    * available again receives the rest.
    *
    * @param wasEnding whether the run was at its end when the target was called
    */
  private def pause(millis: Long, wasEnding: Boolean): Unit = {
    val end = clock.elapsedMillis() + millis
    monitor.synchronized {
      while (!isAborted && isEnding == wasEnding && clock.elapsedMillis() < end)
        monitor.wait((end - clock.elapsedMillis()).max(1))
    }
  }
}

private[commit] object AnnouncerThread {

  /** The time in milliseconds for which an interrupted target may continue. */
  private final val AbortMillis = 1000L
}
