// SPDX-License-Identifier: Apache-2.0
package stoplog.announce

import java.util.{Map => JMap}

/** Receives announcements of visible files: a message queue, a catalog, a table.
  *
  * One daemon thread of the driver calls the target of one log, one call at a time. Never on the thread of
  * the query: a slow or failed target delays no epoch. Each announcement is delivered at least once, in the
  * order of its log. After a failure of the process, an announcement may be delivered again with the same id.
  *
  * {{{
  * final class Printed extends AnnouncementTarget {
  *   override def deliver(announcements: Vector[Announcement]): Delivery = {
  *     announcements.foreach(announcement => println(announcement.id))
  *     Delivery.Delivered
  *   }
  * }
  * }}}
  */
trait AnnouncementTarget extends AutoCloseable {

  /** Delivers announcements of one log, never empty, in order. If the call throws, the announcer proceeds as
    * after [[Delivery.Retry]]. The thread is interrupted when the query ends and the time limit has passed.
    */
  def deliver(announcements: Vector[Announcement]): Delivery

  /** Checks that the target can be reached with these settings. Called before the query starts. Delivers
    * nothing.
    *
    * Throws an exception whose message states the reason if the settings are wrong.
    */
  def check(): Unit = ()

  /** Releases resources. Called once, after the last call. */
  override def close(): Unit = ()
}

/** A target that stores the id of the last delivered announcement in the same transaction as the data. So
  * each announcement takes effect exactly once, also with two drivers.
  *
  * [[AnnouncementTarget.deliver deliver]] MUST ignore announcements that are not after the stored position of
  * their log. The check and the delivery MUST be one transaction. All announcements of one call take effect
  * together, or none.
  */
trait PositionedTarget extends AnnouncementTarget {

  /** Returns the stored position of the log with this name under this path; `None` before the first delivery.
    * Ends the transactions of earlier drivers, if the system supports this. Called at the start, and after
    * [[Delivery.Unknown]].
    *
    * If the stored position has another log identity, the announcer stops: the log was deleted since.
    *
    * @param logName the name of the log, see [[LogId]]
    */
  def position(path: String, logName: String): Option[AnnouncementId]
}

/** The outcome of a delivery. */
sealed trait Delivery extends Product with Serializable

object Delivery {

  /** The target has all announcements. */
  case object Delivered extends Delivery

  /** The target has no announcement of the call, or repeated announcements do no harm. The announcer repeats
    * the call.
    *
    * @param reason      a clause for messages, without secrets
    * @param afterMillis the time to wait; `None` for the announcer's increasing waits
    */
  final case class Retry(reason: String, afterMillis: Option[Long] = None) extends Delivery

  /** The outcome is unknown. The announcer reads the position of a [[PositionedTarget]]; it repeats the call
    * to any other target.
    *
    * @param reason a clause for messages, without secrets
    */
  final case class Unknown(reason: String) extends Delivery

  /** The target rejects the announcements, and a repeated call would be rejected as well. The announcer stops
    * or skips the announcements, by the options of the target.
    *
    * @param reason a clause for messages, without secrets
    * @param files  the paths of the announced files that the target rejects, if the target accepts the
    *               announcements without these files. With `onRefused=skip`, only these files are skipped
    */
  final case class Refused(reason: String, files: Set[String] = Set.empty) extends Delivery
}

/** Creates the targets of one kind from options. A jar lists its factories in
  * `META-INF/services/stoplog.announce.TargetFactory`.
  *
  * The option `announce.<name>` selects a factory by its [[kind]]; options `announce.<name>.<setting>` become
  * the settings of the target.
  */
trait TargetFactory {

  /** Returns the value of `announce.<name>` for this factory, such as `webhook`. */
  def kind: String

  /** Returns the names of the settings, in lower camel case; other settings are rejected as unknown. The
    * name `catalog.*` permits all settings with the prefix `catalog.`: names of another system.
    */
  def settings: Set[String]

  /** Returns whether [[settings]] permits a setting. Names are compared without case. */
  final def permits(setting: String): Boolean = settings.exists { name =>
    if (name.endsWith(".*"))
      setting.length >= name.length && setting.regionMatches(true, 0, name, 0, name.length - 1)
    else name.equalsIgnoreCase(setting)
  }

  /** Returns the directory in the path of a sink by which the target's table is recognized, such as
    * `_delta_log`; `None`, the default, if the path is no table. Jobs that replace files reject paths with a
    * table of any other owner.
    */
  def tableEntry: Option[String] = None

  /** Creates a target. Opens no connection.
    *
    * Throws `IllegalArgumentException` with the reason if a setting is missing or invalid.
    *
    * @param name     the name of the target, unique for a sink
    * @param settings the settings; names are compared without case
    */
  def create(name: String, settings: JMap[String, String]): AnnouncementTarget
}
