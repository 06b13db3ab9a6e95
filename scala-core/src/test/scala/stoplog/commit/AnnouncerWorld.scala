// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.annotation.tailrec

import stoplog.announce.{Announcement, RecordingTarget}
import stoplog.log.{CommitLog, LogRules}
import stoplog.part.RunId
import stoplog.rolling.OnCheckpointRollingPolicy
import stoplog.storage.VisibleFile

/** A sink in memory whose records are announced step by step, without threads. */
final class AnnouncerWorld(rules: LogRules = LogRules.standard) {
  val sink   = new DriverWorld(OnCheckpointRollingPolicy(), rules = rules)
  val target = new RecordingTarget
  val files  = new MemoryNotes(sink.clock)

  var limits: AnnouncementLimits   = AnnouncementLimits(1000, 1000000, OnBacklog.Gap, 1000)
  var visible: Vector[VisibleFile] = Vector.empty
  private var epochs               = 0L

  val place: Announcer.Place = Announcer.Place(
    "/data/out",
    "main",
    "main",
    files,
    () => new CommitLog(sink.records, rules),
    () => visible
  )

  def cursor(name: String = "out"): AnnouncementCursor = new AnnouncementCursor(files, "main", name)

  /** One run of the query, whose announcements are delivered by [[Run.deliver]]. */
  final class Run(
      first: FirstAnnouncement = FirstAnnouncement.Newest,
      onRefused: OnRefused = OnRefused.Stop,
      to: RecordingTarget = target
  ) {
    private val announced = Announcer.Target("out", to, first, onRefused)
    private val before    = sink.log.newest()
    private val begin     = Announcer.entered(cursor(), before, first, None)
    private val records   = new SettledRecords(place.log(), place, before)

    val delivery =
      new TargetDelivery(place, announced, cursor(), begin, records, limits, sink.clock)

    private val announcing = new Announcing {
      override def settled(record: stoplog.log.LogRecord, outcome: => stoplog.log.RecordOutcome): Unit =
        records.settled(record, outcome)
      override def recovered(newest: Long): Unit = records.recovered(newest)
      override def keepFrom(newest: Long): Long  = delivery.needed(newest)
    }

    val driver: SinkDriver = sink.driver(RunId.random(), announcing = announcing)

    /** The records of earlier runs are known to be carried out. */
    def resumed(): Unit = before.foreach(record => records.recovered(record.seq))

    def epoch(buckets: String*): Unit = {
      sink.epoch(driver, epochs, buckets: _*)
      epochs += 1
    }

    /** Takes steps until the delivery waits, and returns what it waits for. */
    @tailrec
    def deliver(isEnding: Boolean = false): TargetDelivery.Next = delivery.step(isEnding) match {
      case TargetDelivery.Again => deliver(isEnding)
      case other                => other
    }

    /** Delivers, and waits as long as the delivery wants. */
    @tailrec
    def deliverAll(): Unit = deliver() match {
      case TargetDelivery.Pause(millis) =>
        sink.clock.advance(millis)
        deliverAll()
      case _ => ()
    }
  }

  def buckets: Vector[String] = bucketsOf(target.accepted)

  def bucketsOf(all: Vector[Announcement]): Vector[String] =
    all.map(one => s"${one.change.word} ${one.change.bucket.getOrElse(one.change.toString)}")
}
