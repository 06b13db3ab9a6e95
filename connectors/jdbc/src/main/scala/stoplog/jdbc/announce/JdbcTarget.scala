// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.announce

import java.util.{Map => JMap}

import scala.util.control.NonFatal

import stoplog.announce._
import stoplog.announce.setting.Secrets
import stoplog.error.{Causes, Redaction}
import stoplog.jdbc.client.{ConnectionSource, FailureKind, JdbcErrors, RequestOptions, Retries, Session}
import stoplog.jdbc.client.SparkConnector
import stoplog.jdbc.options.JdbcOptionRegistry
import stoplog.jdbc.staging.CreatedTables
import stoplog.jdbc.table.Target

/** The factory of `announce.<name>` = `jdbc`. */
private[stoplog] final class JdbcTargets extends TargetFactory {
  override def kind: String = "jdbc"

  override def settings: Set[String] = JdbcTargetSettings.all.map(_.key).toSet

  override def create(name: String, settings: JMap[String, String]): AnnouncementTarget = {
    val parsed   = JdbcTargetSettings.parse(settings)
    def password = parsed.password.map(JdbcOptionRegistry.Password.key -> _.read(Secrets.ofProcess))
    new JdbcTarget(parsed, () => new SparkConnector(parsed.jdbc.toSpark ++ password))
  }
}

/** Inserts a row for each file, and the position of the log, in one transaction for each call.
  *
  * @param connector throws `IllegalStateException` if the password is missing
  */
private[announce] final class JdbcTarget(settings: JdbcTargetSettings, connector: () => ConnectionSource)
    extends PositionedTarget {
  import settings.jdbc

  private val table     = FilesTable(jdbc.at.table)
  private val positions = PositionTable(settings.positionTable, jdbc.at.dialect)
  // For the messages of created tables.
  private val place      = Target(jdbc.database, jdbc.at.table, Vector.empty, jdbc.at.dialect)
  private var isPrepared = false

  /** Creates the tables if they do not exist. */
  override def check(): Unit = inSession(_ => ())

  override def position(path: String, logName: String): Option[AnnouncementId] =
    inSession(session => session.transaction(_ => positions.lock(session, path, logName)))

  override def deliver(announcements: Vector[Announcement]): Delivery = {
    var isCommitting = false
    try
      inSession { session =>
        session.transaction { _ =>
          val delivery = deliver(session, announcements)
          isCommitting = true
          delivery
        }
      }
    catch {
      case NonFatal(e) if isCommitting => Delivery.Unknown(reason(e))
      case e: IllegalStateException    => Delivery.Retry(e.getMessage)
      case NonFatal(e)                 =>
        if (FailureKind.of(e, jdbc.at.dialect) == FailureKind.Transient) Delivery.Retry(reason(e))
        else Delivery.Refused(reason(e))
    }
  }

  private def deliver(session: Session, all: Vector[Announcement]): Delivery = {
    val (path, log) = (all.head.path, all.head.id.log)
    positions.lock(session, path, log.name) match {
      case Some(stored) if stored.log != log =>
        Delivery.Refused(s"the table ${positions.table} has a position of the log ${stored.log}, not of $log")
      case stored =>
        val later = all.filter(announcement => stored.forall(announcement.id.isAfter))
        later.lastOption.foreach { last =>
          if (stored.isEmpty) positions.insert(session, path, last.id)
          else positions.update(session, path, last.id)
          table.insert(session, later)
        }
        Delivery.Delivered
    }
  }

  /** Opens a session for each call: a query that waits for data for hours keeps no session open. */
  private def inSession[A](work: Session => A): A = {
    val session = new Session(connector(), jdbc.requests.timeoutSeconds)
    try {
      if (!isPrepared) prepare(session)
      work(session)
    } finally session.close()
  }

  private def prepare(session: Session): Unit = {
    // The announcer repeats calls.
    val retries =
      new Retries(RequestOptions(jdbc.requests.timeoutSeconds, retryTimeoutMillis = 0), jdbc.at.dialect)
    val created = new CreatedTables(session, retries, place)
    created.ensure(table.table, table.create)
    created.ensure(positions.table, positions.create)
    isPrepared = true
  }

  private def reason(e: Throwable): String = {
    val message = JdbcErrors.messageOf(Causes.of(e).last).linesIterator.mkString(" ")
    s"${jdbc.database} failed: ${Redaction.text(message).stripSuffix(".")}"
  }
}
