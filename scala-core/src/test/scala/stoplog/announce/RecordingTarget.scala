// SPDX-License-Identifier: Apache-2.0
package stoplog.announce

import java.util.{Map => JMap}
import java.util.concurrent.ConcurrentHashMap

/** Keeps all received announcements, and returns the outcomes that a test sets. */
class RecordingTarget extends AnnouncementTarget {

  /** All calls, oldest first. */
  @volatile var calls: Vector[Vector[Announcement]] = Vector.empty

  /** The outcomes of the next calls; all later calls are delivered. */
  @volatile var answers: Vector[Delivery] = Vector.empty

  @volatile var closed = 0

  /** What the target has, without repetitions. */
  def received: Vector[Announcement] = accepted.distinctBy(_.id)

  /** What the target has, with repetitions. */
  @volatile var accepted: Vector[Announcement] = Vector.empty

  override def deliver(announcements: Vector[Announcement]): Delivery = synchronized {
    calls :+= announcements
    val answer = answers.headOption.getOrElse(Delivery.Delivered)
    answers = answers.drop(1)
    if (answer == Delivery.Delivered || answer.isInstanceOf[Delivery.Unknown]) accept(announcements)
    answer
  }

  override def close(): Unit = closed += 1

  protected def accept(announcements: Vector[Announcement]): Unit = accepted ++= announcements
}

/** Stores the id of the last announcement with the announcements, and ignores repetitions. */
class PositionedRecordingTarget extends RecordingTarget with PositionedTarget {
  @volatile var stored: Map[String, AnnouncementId] = Map.empty

  override def position(path: String, logName: String): Option[AnnouncementId] = stored.get(logName)

  protected override def accept(announcements: Vector[Announcement]): Unit =
    announcements.foreach { announcement =>
      val id = announcement.id
      if (stored.get(id.log.name).forall(last => last.log != id.log || id.isAfter(last))) {
        accepted :+= announcement
        stored += id.log.name -> id
      }
    }
}

/** The targets of the kind `recording`, one per value of the setting `to`, for the whole JVM. */
final class RecordingTargets extends TargetFactory {
  override def kind: String          = "recording"
  override def settings: Set[String] = Set("to", "token", "fails", "more.*")

  override def create(name: String, settings: JMap[String, String]): AnnouncementTarget = {
    if (settings.containsKey("fails")) throw new IllegalArgumentException(settings.get("fails"))
    val shared = RecordingTargets.at(settings.getOrDefault("to", name))
    new AnnouncementTarget {
      override def deliver(announcements: Vector[Announcement]): Delivery = shared.deliver(announcements)
      override def check(): Unit                                          =
        if (settings.containsKey("token")) throw new IllegalStateException("no entry")
    }
  }
}

object RecordingTargets {
  private val all = new ConcurrentHashMap[String, RecordingTarget]

  def at(name: String): RecordingTarget = all.computeIfAbsent(name, _ => new RecordingTarget)
}
