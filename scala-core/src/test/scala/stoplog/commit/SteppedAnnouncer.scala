// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.annotation.tailrec

import stoplog.announce.AnnouncementId
import stoplog.log.{CommitLog, Decision, LogIdentity, LogRecord, RecordOutcome}
import stoplog.thread.Clock

/** The announcer of one target without a thread: the caller takes its steps. */
final class SteppedAnnouncer(
    place: Announcer.Place,
    target: Announcer.Target,
    limits: AnnouncementLimits,
    clock: Clock
) extends Announcing {
  private val before = place.log().newest()
  private val cursor = new AnnouncementCursor(place.files, place.logName, target.name, place.faults)

  private val begin   = Announcer.entered(cursor, place.log(), before, target.first, None)
  private val records = new SettledRecords(place.log(), place, before)

  private[commit] val delivery =
    new TargetDelivery(place, target, cursor, begin, records, limits, clock)

  override def claimed(seq: Long): Unit                                    = records.claimed(seq)
  override def settled(record: LogRecord, outcome: => RecordOutcome): Unit = records.settled(record, outcome)
  override def recovered(newest: Long): Unit                               = records.recovered(newest)
  override def keepFrom(newest: Long): Long                                = delivery.needed(newest)

  /** Takes steps until the delivery waits, and returns what it waits for. */
  @tailrec
  private[commit] def deliver(isEnding: Boolean): TargetDelivery.Next = delivery.step(isEnding) match {
    case TargetDelivery.Again => deliver(isEnding)
    case other                => other
  }

  /** Delivers all that is there. */
  def deliverAll(): Unit = deliver(isEnding = false): Unit

  /** Does what a thread does at its end. */
  def end(): Unit = {
    deliver(isEnding = true): Unit
    delivery.close()
  }
}

object SteppedAnnouncer {

  /** Returns the ids of the announcements of all records that the log keeps. */
  def idsOf(log: CommitLog, place: Announcer.Place): Vector[AnnouncementId] = for {
    record   <- log.all()
    identity <- LogIdentity.of(record.state).toVector
    origin = Announcements.Origin(place.path, place.sinkId, stoplog.announce.LogId(place.logName, identity))
    announcement <- Announcements.of(Decision.of(record), log.outcome(record.seq), origin)
  } yield announcement.id
}
