// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.annotation.tailrec

import stoplog.announce.{Announcement, RecordingTarget}
import stoplog.fault.Faults
import stoplog.log.{CommitLog, LogRules}
import stoplog.part.RunId
import stoplog.rolling.OnCheckpointRollingPolicy
import stoplog.storage.{SinkDirectory, VisibleFile}

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
    () => visible,
    Faults.none
  )

  def cursor(name: String = "out"): AnnouncementCursor = new AnnouncementCursor(files, "main", name)

  /** Deletes the cursor, as if the target were new. */
  def forgetCursor(): Unit = {
    val directory = s"${SinkDirectory("main").announced}/out"
    files.delete(files.names(directory).map(name => s"$directory/$name"))
  }

  /** One run of the query, whose announcements are delivered by [[Run.deliver]]. */
  final class Run(
      first: FirstAnnouncement = FirstAnnouncement.Newest,
      onRefused: OnRefused = OnRefused.Stop,
      to: RecordingTarget = target,
      visible: Option[() => Vector[VisibleFile]] = None
  ) {
    private val before    = sink.log.newest()
    private val announcer =
      new SteppedAnnouncer(
        visible.fold(place)(list => place.copy(visible = list)),
        Announcer.Target("out", to, first, onRefused),
        limits,
        sink.clock
      )

    val delivery: TargetDelivery = announcer.delivery
    val driver: SinkDriver       = sink.driver(RunId.random(), announcing = announcer)

    /** The records of earlier runs are known to be carried out. */
    def resumed(): Unit = before.foreach(record => announcer.recovered(record.seq))

    def epoch(buckets: String*): Unit = {
      sink.epoch(driver, epochs, buckets: _*)
      epochs += 1
    }

    /** Takes steps until the delivery waits, and returns what it waits for. */
    def deliver(isEnding: Boolean = false): TargetDelivery.Next = announcer.deliver(isEnding)

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
