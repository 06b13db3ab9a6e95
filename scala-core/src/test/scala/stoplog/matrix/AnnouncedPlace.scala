// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.announce.{Announcement, Change, Delivery, PositionedRecordingTarget, RecordingTarget}
import stoplog.commit._
import stoplog.fault.Faults
import stoplog.log.CommitLog

/** A place with a target of announcements that outlives all processes, and the faults of the received
  * announcements.
  *
  * @param logName the log whose records are announced
  */
final class AnnouncedPlace(val place: Place, val logName: String, kind: AnnouncedPlace.Kind) {
  import AnnouncedPlace._

  val target: RecordingTarget = kind match {
    case Plain =>
      new RecordingTarget { override def deliver(all: Calls): Delivery = looked(all)(super.deliver(_)) }
    case Positioned =>
      new PositionedRecordingTarget {
        override def deliver(all: Calls): Delivery = looked(all)(super.deliver(_))
      }
  }

  // Files that were announced before readers saw the files.
  @volatile private var early = Vector.empty[String]

  def ofTarget: Announcer.Target =
    Announcer.Target("out", target, FirstAnnouncement.Newest, OnRefused.Stop)

  /** The place, as a new process would see it. */
  def announced(faults: Faults): Announcer.Place = Announcer.Place(
    place.root,
    Place.SinkId,
    logName,
    place.notes(logName),
    () => log(faults),
    () => Vector.empty,
    faults
  )

  def log(faults: Faults): CommitLog =
    if (logName == Place.SinkId) place.log(faults) else new CommitLog(place.records(logName, faults))

  def problems: Vector[String] = early ++ order ++ repeated ++ files

  private def looked(all: Calls)(deliver: Calls => Delivery): Delivery = {
    val there = place.files().toSet ++ replaced
    early ++= all.flatMap(one => added(one.change)).filterNot(there).map(_ + " was announced too early")
    deliver(all)
  }

  /** The files that readers saw before a later record replaced the files. */
  private def replaced: Set[String] = log(Faults.none).all().flatMap(_.replace.map(_.path)).toSet

  private def order: Vector[String] = {
    val ids = target.received.map(_.id)
    if (ids == ids.sortBy(id => (id.sequence, id.number))) Vector.empty
    else Vector(s"not in order: ${ids.mkString(", ")}")
  }

  private def repeated: Vector[String] = kind match {
    case Plain      => Vector.empty
    case Positioned =>
      val ids = target.accepted.map(_.id)
      ids.diff(ids.distinct).map(id => s"$id took effect twice")
  }

  private def files: Vector[String] = {
    val changes = target.received.map(_.change)
    val told    = changes.flatMap(added)
    val left    = told.diff(changes.flatMap(gone))
    val seen    =
      place.files().filter(file => Oracle.isVisible(file) && file.split('/').last.startsWith("part-"))
    told.diff(told.distinct).map(_ + " is in two announcements") ++
      seen.diff(left).map(_ + " is in no announcement") ++
      left.diff(seen).map(_ + " was announced, and is not there")
  }

  private def added(change: Change): Vector[String] = change match {
    case Change.Added(_, files)       => files.map(_.path)
    case Change.Replaced(_, files, _) => files.map(_.path)
    case _                            => Vector.empty
  }

  private def gone(change: Change): Vector[String] = change match {
    case Change.Replaced(_, _, paths) => paths
    case Change.Removed(_, paths)     => paths
    case _                            => Vector.empty
  }
}

object AnnouncedPlace {
  private type Calls = Vector[Announcement]

  /** What a target does with repetitions. */
  sealed abstract class Kind(val name: String) extends Product with Serializable

  case object Plain      extends Kind("a target without a position")
  case object Positioned extends Kind("a target with a position")

  /** A target never misses anything, and the end of a process waits for its target. */
  val Limits: AnnouncementLimits = AnnouncementLimits(1000, Long.MaxValue, OnBacklog.Fail, 10 * 60 * 1000L)
}
