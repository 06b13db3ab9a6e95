// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.json.JsonMapper
import com.fasterxml.jackson.module.scala.DefaultScalaModule

import stoplog.admin.AdminAction.{Advise, Announce}
import stoplog.announce.table.ComparedTable
import stoplog.commit.{AnnouncementStatus, Announcer, OnBacklog}
import stoplog.error.{AnnounceErrors, Causes, Errors, Redaction}
import stoplog.options.AnnounceOptions

/** Delivers the announcements that a query, or a batch job, has left, and reads the tables of targets.
  * Changes no file that readers see.
  */
private[admin] object AnnounceCommand {

  def plan(sink: SinkContext, options: AnnounceOptions): AdminPlan = {
    if (options.targets.isEmpty)
      throw Errors.invalidOptions(Seq("The command announce needs a target: set announce.<name>."))
    val names            = options.targets.map(_.name).toSet
    val places           = sink.announced()
    val found            = places.flatMap(place => AnnouncementStatus.of(place).map(place -> _))
    val (known, unknown) = found.partition { case (_, status) => names(status.target) }
    val waiting          = known.filter { case (_, status) => status.lagRecords > 0 }
    new AdminPlan(
      "announce",
      sink.livenessNow(),
      waiting.map { case (_, status) => Announce(subject(status), s"${status.lagRecords} records wait") } ++
        unknown.filter(_._2.lagRecords > 0).map { case (_, status) =>
          Advise(subject(status), s"${status.lagRecords} records wait for a target without settings")
        },
      whenAlive => carryOut(sink, options, waiting.map(_._1).distinct, whenAlive)
    )
  }

  /** Calls the check of each target, and announces an empty snapshot of the path to each target. */
  def trial(sink: SinkContext, options: AnnounceOptions): AdminPlan = new AdminPlan(
    "announce",
    sink.livenessNow(),
    options.targets.map(target => Announce(target.name, "a test announcement without files")),
    _ =>
      options.targets.foreach { target =>
        Announcer.tried(sink.path, sink.sinkId, target.name, target.create())
      }
  )

  /** Returns the tables of all targets with a table as a JSON object, for the check of Python. A table that
    * cannot be read has a `problem`.
    *
    * Error: `STOPLOG_INVALID_OPTIONS` if no target has a table.
    */
  def tables(sink: SinkContext, options: AnnounceOptions): String = {
    val found = options.targets.flatMap { configured =>
      val target = configured.create()
      try
        target match {
          case table: ComparedTable => Some(read(sink, table) + ("target" -> configured.name))
          case _                    => None
        }
      finally target.close()
    }
    if (found.isEmpty)
      throw Errors.invalidOptions(
        Seq("A check compares tables, and no target has a table: set announce.<name> to iceberg or delta.")
      )
    JsonMapper.builder().addModule(DefaultScalaModule).build().writeValueAsString(Map("tables" -> found))
  }

  /** Reads the positions first: so the files have all changes up to the positions. */
  private def read(sink: SinkContext, table: ComparedTable): Map[String, Any] =
    try {
      val positions = sink.sinkIds().flatMap(table.position(sink.path, _))
      Map("positions" -> positions, "content" -> table.content(sink.path))
    } catch {
      case e @ (NonFatal(_) | (_: LinkageError)) => // a class of the table's libraries may be missing
        Map("problem" -> Redaction.text(Causes.reason(e)))
    }

  private def carryOut(
      sink: SinkContext,
      options: AnnounceOptions,
      places: Vector[Announcer.Place],
      whenAlive: WhenAlive
  ): Unit = {
    if (whenAlive == WhenAlive.Refuse) sink.refuseIfAlive()
    places.flatMap(undelivered(sink, options, _)).headOption.foreach(throw _)
  }

  /** Delivers the announcements of one log, and returns the failures. Delivers everything that the log keeps:
    * the limits of the query decide what the log keeps, and this command does not know these limits.
    */
  private def undelivered(
      sink: SinkContext,
      options: AnnounceOptions,
      place: Announcer.Place
  ): Vector[Throwable] = {
    val log       = place.log()
    val newest    = log.newest()
    val undone    = newest.filterNot(log.isPublished)
    val unlimited = options.copy(limits = options.limits.copy(onBacklog = OnBacklog.Fail))
    val announcer = unlimited.resume(place)
    announcer.foreach { delivering =>
      delivering.recovered(newest.fold(-1L)(_.seq) - undone.size)
      delivering.end()
    }
    announcer.toVector.flatMap(_.figures).flatMap { case (name, figures) =>
      val reason =
        undone.map(record => notCarriedOut(place.logName, record.seq)).filter(_ => figures.lagRecords == 0)
      Option.when(figures.lagRecords > 0 || undone.nonEmpty)(
        AnnounceErrors.undelivered(
          sink.path,
          name,
          figures.lagRecords + undone.size,
          reason.orElse(figures.lastError)
        )
      )
    }
  }

  /** A decision alone must not be announced (P-131). */
  private def notCarriedOut(logName: String, seq: Long): String =
    s"record $seq of the log $logName is not carried out: run finalize, start the query, or run the next " +
      "batch job"

  private def subject(status: AnnouncementStatus): String = s"${status.target} in ${status.logName}"
}
