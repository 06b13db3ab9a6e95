// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import scala.util.control.NonFatal

import stoplog.commit.{
  AnnouncementCursor, Announcer, Announcing, JobAnnouncements, OtherTargets, Replacements, SharedLog
}
import stoplog.engine.Existing
import stoplog.error.{Log, Redaction}
import stoplog.log.LogRecord
import stoplog.options.SinkOptions
import stoplog.preflight.Finding
import stoplog.stores.SinkStorage
import stoplog.thread.{Clock, Stopwatch}

/** The announcements of a sink, created from options. Only on the driver. */
private[filesink] object SinkAnnouncements {

  /** Starts the threads of all targets; `None` without a target.
    *
    * @param storage the storage of the announced log
    * @param next    the first record for new targets; see [[stoplog.commit.Announcer.start]]
    *
    * Errors: `STOPLOG_USER_CODE`, `STOPLOG_STORE_WRITE`.
    */
  def of(options: SinkOptions, storage: SinkStorage, next: Option[Long] = None): Option[Announcer] =
    options.buckets.completeness.announce.start(storage.announced(options.recovery.sinkId), next)

  /** Returns the announcements of a batch job. Announces the records of its own log if the job adds rows. A
    * job also announces records of the log of replacements that other jobs have left.
    */
  def ofJob(options: SinkOptions, storage: SinkStorage, existing: Existing): JobAnnouncements = {
    if (existing != Existing.Keep)
      storage.warnOfOtherTargets(options.buckets.completeness.announce.names)
    if (options.buckets.completeness.announce.targets.isEmpty) withoutTargets(storage)
    else if (existing == Existing.Keep) ofAppend(options, storage)
    else new OfJob(storage, None, replacing(options, storage, without = Set.empty), listed = Set.empty)
  }

  /** A new target with a snapshot receives the snapshot from the job's own log alone. */
  private def ofAppend(options: SinkOptions, storage: SinkStorage): JobAnnouncements = {
    val listed = options.buckets.completeness.announce.listed
    val first  = listed.filter(OtherTargets.isNew(storage.files, _))
    val own    = of(options, storage, Some(0))
    val others = if (isWaiting(storage)) replacing(options, storage, without = first) else None
    new OfJob(storage, own, others, listed)
  }

  private def replacing(
      options: SinkOptions,
      storage: SinkStorage,
      without: Set[String]
  ): Option[Announcer] = {
    val replaced = storage.as(Replacements.SinkId)
    options.buckets.completeness.announce
      .without(without)
      .start(
        replaced.announced(options.recovery.sinkId),
        Some(OtherTargets.next(replaced.files, replaced.log))
      )
  }

  /** Returns the announcements of another job, which may have died.
    *
    * @param time for the announcements of all other jobs
    */
  def ofDeadJob(options: SinkOptions, storage: SinkStorage, time: SharedTime): JobAnnouncements =
    if (options.buckets.completeness.announce.targets.isEmpty) withoutTargets(storage)
    else new OfDeadJob(options, storage, time)

  private def withoutTargets(storage: SinkStorage): JobAnnouncements =
    JobAnnouncements
      .without(storage.files, storage.sinkId, storage.as(Replacements.SinkId).log, Clock.system)

  private def isWaiting(storage: SinkStorage): Boolean =
    AnnouncementCursor.targets(storage.files, Replacements.SinkId).nonEmpty

  /** @param listed the targets that start with a snapshot
    */
  private final class OfJob(
      storage: SinkStorage,
      ownAnnouncer: Option[Announcer],
      replacing: Option[Announcer],
      listed: Set[String]
  ) extends JobAnnouncements {
    private val others = withoutTargets(storage)

    override def own: Announcing          = ownAnnouncer.getOrElse(Announcing.Nothing)
    override def replacements: Announcing =
      replacing.fold(others.replacements)(new SharedLog(_, others.replacements))
    override def rest(newest: LogRecord): Boolean = others.rest(newest)

    override def end(): Boolean = {
      replacing.foreach(_.end())
      val isOver = ownAnnouncer.forall(_.end())
      areRemembered && isOver
    }

    private def areRemembered: Boolean = {
      val replaced = storage.as(Replacements.SinkId)
      OtherTargets.remember(replaced.files, replaced.log, storage.sinkId, listed)
    }
  }

  private final class OfDeadJob(options: SinkOptions, storage: SinkStorage, time: SharedTime)
      extends JobAnnouncements {
    private val others = withoutTargets(storage)

    override def own: Announcing          = others.own
    override def replacements: Announcing = others.replacements
    override def end(): Boolean           = true

    override def rest(newest: LogRecord): Boolean = others.rest(newest) || {
      if (time.leftMillis > 0)
        Log.tolerating(s"The announcements of job ${storage.sinkId} under ${storage.path} wait") {
          time.spend(deliver(newest))
        }
      others.rest(newest)
    }

    private def deliver(newest: LogRecord): Unit = {
      val announce = options.buckets.completeness.announce
      val limits   = announce.limits.copy(endMillis = time.leftMillis)
      announce
        .copy(limits = limits)
        .resume(storage.announced(options.recovery.sinkId), Some(0))
        .foreach { announcer =>
          announcer.recovered(newest.seq)
          announcer.end()
        }
    }
  }

  /** The time that a job may spend for announcements of other jobs. Any number of logs that wait for a target
    * delays a job only once.
    */
  final class SharedTime(limitMillis: Long) {
    private var spentMillis = 0L

    def leftMillis: Long = (limitMillis - spentMillis).max(0)

    def spend(action: => Unit): Unit = {
      val watch = new Stopwatch(Clock.system)
      try action
      finally spentMillis += watch.millis
    }
  }

  /** Calls the check of each target. */
  def findings(options: SinkOptions): Vector[Finding] =
    options.buckets.completeness.announce.targets.map { target =>
      val name = s"announce.${target.name}"
      try {
        val made = target.create()
        try made.check()
        finally made.close()
        Finding.Ok(name, s"The target '${target.kind}' can be reached.")
      } catch {
        case NonFatal(e) =>
          Finding.Problem(
            name,
            Redaction.text(s"The target does not pass its check: ${String.valueOf(e.getMessage)}."),
            "Correct the settings of the target. A query starts in any case, and its announcements wait."
          )
      }
    }
}
