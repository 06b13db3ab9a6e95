// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.util.control.NonFatal

import stoplog.error.{Errors, Log, StoplogException}
import stoplog.fault.Step
import stoplog.log.{FollowUp, LogRecord, QueryEpoch, RecordKind, SinkState}
import stoplog.part.{FinishedPart, Pending, RunId}
import stoplog.plan.{EpochPlan, TaskResult}
import stoplog.rolling.{DelegatingPolicy, PartStats, RollReason, RollingPolicy}
import stoplog.storage.VisibleFiles.Scope
import stoplog.storage.{HiddenNames, JobDirectory}
import stoplog.thread.{Parallel, Stopwatch}

/** The commit of a batch job. One record decides which parts become visible and which files they replace. A
  * job that adds rows writes the record to a separate log of the job. A job that replaces files writes the
  * record to the path's log of [[Replacements]]. Afterwards the job's directory is deleted. If the process
  * dies in between, the next job under the same path finishes the work ([[rollForward]]).
  *
  * @param job the job's directory
  */
private[stoplog] final class JobCommit(
    run: RunId,
    identity: SinkIdentity,
    stores: SinkStores,
    job: JobDirectory,
    logs: PathLogs,
    tools: DriverTools,
    rules: JobCommit.Rules
) {
  import JobCommit._
  import rules.{announcements, followUps}
  import tools.{clock, faults, parallel}

  private val log    = stores.log
  private val store  = stores.parts
  private val ledger = new Ledger(
    run,
    identity,
    stores,
    rules.onLost,
    followUps,
    tools.copy(announcing = announcements.own)
  )
  private val replacements =
    new Replacements(logs, followUps, rules.onLost, tools.copy(announcing = announcements.replacements))
  private val replacing = new ReplacingJobs(logs, replacements)
  private val jobEnd    = new JobEnd(followUps, identity.sinkId, parallel, tools.retry)
  private val presence  = new JobPresence(run, identity, store, job, tools)

  private def path   = identity.path
  private def sinkId = identity.sinkId

  private var begun = new Stopwatch(clock)

  /** Announces the job as alive, and returns the plan for its tasks. */
  def begin(slots: Int): EpochPlan = {
    presence.enter()
    begun = new Stopwatch(clock)
    EpochPlan.ofJob(run, slots)
  }

  /** Carries out the decisions of replacing jobs, and restores files hidden too late. Never throws. */
  def recoverReplacements(): Unit =
    Log.tolerating(s"The decisions of jobs that replace files under $path could not be carried out")(
      replacements.recover(): Unit
    )

  /** Makes the tasks' parts visible, in place of the files that readers see now or in addition to these
    * files.
    *
    * Errors: `STOPLOG_FENCED`, `STOPLOG_PART_LOST`, `STOPLOG_PATH_NOT_WRITABLE` and
    * `STOPLOG_BATCH_CALLED_OFF`, after which nothing has changed; `STOPLOG_BATCH_UNKNOWN`;
    * `STOPLOG_BATCH_DECIDED`, after which the record is valid.
    */
  def commit(results: Seq[TaskResult], replacing: Replacing): JobOutcome = {
    val publish = results.flatMap(_.closed).toVector
    replacing.scope(publish.map(_.bucket)) match {
      case None        => add(publish)
      case Some(scope) => replace(publish, scope)
    }
  }

  /** Rejects the job before its tasks if a query has open parts in the scope. Parts that a query opens later
    * are checked before the record.
    *
    * Error: `STOPLOG_PATH_NOT_WRITABLE`.
    */
  def refuseOpenParts(scope: Scope): Unit = {
    val streams = logs.streams.flatMap { case (sink, log) =>
      log.newest().map(_.state).filter(SinkSettings.isOfFiles).map(sink -> _)
    }
    Obstacle.writing(streams, excludesOpen(scope)).foreach(obstacle => throw obstacle.refusal(path))
  }

  /** Ends the job without a change that readers can see. Deletes nothing (I5): tasks may still be writing. */
  def abort(): Unit = presence.leave()

  /** Carries out the decision of a job that may have died since. Removes the remains of a job without writes
    * for a day, after a record ensures that the job cannot decide anything any more.
    *
    * If the job's driver is alive, this method only repeats idempotent steps and removes nothing.
    */
  def rollForward(): Unit = {
    presence.enter()
    try {
      val alone          = store.othersGone(run)
      val silentSince    = clock.millis() - LeftAlone
      lazy val untouched = job.untouchedSince(silentSince)
      log.newest() match {
        case Some(newest) =>
          val wasOver = alone || untouched // evaluated before anything is written
          try ledger.recover(newest)
          catch { case NonFatal(_) if !alone && log.newest().isEmpty => () } // the job's driver was faster
          if (wasOver && announcements.rest(newest)) removeUnlessCounted()
        case None if log.isMarked(0) => presence.remove() // a process died during the removal
        case None if job.isAnnounced =>
          if (replacements.isPending(sinkId)) replacements.recover(): Unit
          if (alone || job.decidedBefore(silentSince)) // the job's tasks have ended
            if (replacements.isOver(sinkId)) presence.remove() else giveUp(alone)
        case None if untouched => giveUp(alone)
        case _                 => ()
      }
    } finally presence.leave()
  }

  /** Appends an empty record, so that the job's driver cannot decide anything if the driver wakes up. */
  private def giveUp(isGone: Boolean): Unit = {
    ledger.append(entry(Vector.empty, FollowUp.nothing))
    if (isGone && !replacements.isPending(sinkId)) presence.remove()
  }

  private def add(publish: Vector[Pending]): JobOutcome = {
    faults.at(Step.BeforeRecord)
    refuseIfRemoved(publish)
    val content = entry(publish, jobEnd.adding(publish, clock.millis()))
    parallel.uninterrupted {
      val record  = decided(content)
      val settled =
        try ledger.settle(record)
        catch { case NonFatal(e) => throw Errors.batchDecided(sinkId, path, e) }
      presence.leave()
      if (announcements.end()) tidyUp(Vector.empty)(removeUnlessCounted())
      JobOutcome.of(record.as(settled.outcome))
    }
  }

  private def replace(publish: Vector[Pending], scope: Scope): JobOutcome = {
    val plan = new Overwriting(publish, scope)
    parallel.uninterrupted {
      val decided =
        withdrawing {
          job.announce()
          replacements.decide(plan)
        }
      decided.fold(JobOutcome.nothing) { record =>
        val shown = carriedOut(record)
        presence.leave()
        tidyUp(record.replace.map(_.bucket))(presence.remove())
        JobOutcome.of(shown)
      }
    }
  }

  private def excludesOpen(scope: Scope): String => Boolean = scope match {
    case Scope.Whole => _ => false
    case some        => some.covers
  }

  /** Returns the record as carried out. */
  private def carriedOut(record: LogRecord): LogRecord = {
    val settled =
      try replacements.carryOut(record)
      catch { case NonFatal(e) => throw Errors.batchDecided(sinkId, path, e) }
    settled match {
      case shown: Settled.Shown      => record.as(shown.outcome)
      case Settled.CalledOff(_, why) =>
        presence.leave()
        tidyUp(Vector.empty)(presence.remove())
        throw Errors.batchCalledOff(sinkId, path, why)
    }
  }

  /** Withdraws the announcement if `action` fails with a known outcome: no other job needs to wait. */
  private def withdrawing[A](action: => A): A =
    try action
    catch {
      case e: StoplogException if e.getCondition == "STOPLOG_BATCH_UNKNOWN" => throw e
      case NonFatal(e)                                                      =>
        try job.takeBack()
        catch { case NonFatal(later) => e.addSuppressed(later) }
        throw e
    }

  /** Appends the record. After an error the record may exist, unless another record has its place. */
  private def decided(entry: Ledger.Entry): LogRecord =
    try ledger.append(entry)
    catch {
      case NonFatal(e) if Ledger.decidedNothing(e) => throw e
      case NonFatal(e) => throw Errors.batchUnknown(sinkId, path, log.describe(seq = 0), e)
    }

  /** Never throws: the job has succeeded, and a scheduler would rerun a failed job and duplicate its rows. */
  private def tidyUp(emptied: Seq[String])(removal: => Unit): Unit = {
    Log.tolerating(s"Directories under $path that an overwrite has emptied could not be removed")(
      job.deleteEmptied(emptied)
    )
    Log.tolerating(
      s"Batch job $sinkId under $path has ended, and its directory could not be removed: the next batch " +
        "job removes it"
    )(removal)
  }

  /** Removes the directory, unless a replacing job is announced, which may read this log after its cut. */
  private def removeUnlessCounted(): Unit = if (!replacing.anyAnnounced(except = sinkId)) presence.remove()

  /** Throws if a staged part is gone. Another job may have considered this job dead and removed its
    * directory, including the record that blocked this job. A replacement would then hide files and show no
    * new files.
    */
  private def refuseIfRemoved(publish: Vector[Pending]): Unit =
    if (isOld) {
      val there = store.staged().map(_.token).toSet
      publish
        .filter(part => part.sizeBytes > 0 && !store.stagedOf(part.handle.token).exists(there))
        .foreach(part =>
          throw Errors.partLost(s"$path/${part.finishedPath}", part.handle.token, part.bucket, 0)
        )
    }

  private def isOld: Boolean = begun.longestMillis > LeftAlone

  private final class Overwriting(publish: Vector[Pending], scope: Scope) extends Replacements.Plan {
    override def job: String      = sinkId
    override def run: RunId       = JobCommit.this.run
    override def kind: RecordKind = RecordKind.Epoch(0)

    override def excludesOpen(bucket: String): Boolean = JobCommit.this.excludesOpen(scope)(bucket)

    override def files(isFree: String => Boolean): Option[Vector[FinishedPart]] =
      Some(JobCommit.this.job.listed(path, scope).replaceable.map(_.asPart))

    override def content(files: ReplacedSet): Replacements.Content = {
      refuseIfRemoved(publish)
      Replacements.Content(publish, jobEnd.replacing(publish, clock.millis()))
    }
  }

  private def entry(publish: Vector[Pending], follow: FollowUp): Ledger.Entry = Ledger.Entry(
    RecordKind.Epoch(0),
    SinkState(
      QueryEpoch(identity.queryId, Some(0)),
      Vector.empty,
      nextPart = 0,
      settings = Map(SinkKey -> followUps.sinkId)
    ),
    publish,
    follow
  )
}

private[stoplog] object JobCommit {

  /** Which files under the path the job's parts replace. */
  sealed trait Replacing {

    /** Returns the scope of the replaced files; `None` if the job only adds files.
      *
      * @param buckets of the job's parts
      */
    private[commit] def scope(buckets: Vector[String]): Option[Scope]
  }
  object Replacing {
    case object Nothing extends Replacing {
      private[commit] override def scope(buckets: Vector[String]): Option[Scope] = None
    }
    case object Everything extends Replacing {
      private[commit] override def scope(buckets: Vector[String]): Option[Scope] = Some(Scope.Whole)
    }

    /** All files that a fixed scope covers. */
    final case class Within(fixed: Scope) extends Replacing {
      private[commit] override def scope(buckets: Vector[String]): Option[Scope] = Some(fixed)
    }

    /** The files of each bucket of the job's parts. Rejected rows replace nothing. */
    final case class Written(nested: Nested) extends Replacing {
      private[commit] override def scope(buckets: Vector[String]): Option[Scope] = {
        val written = buckets.distinct.filterNot(HiddenNames.areIn)
        Option.when(written.nonEmpty)(nested match {
          case Nested.Included => Scope.Directories(written)
          case Nested.Excluded => Scope.Exactly(written)
        })
      }
    }
  }

  /** Whether the directories below the directory of a bucket belong to the bucket. */
  sealed trait Nested
  object Nested {

    /** The name of a bucket's directory has the values of its rows, also of rows in directories below. */
    case object Included extends Nested

    /** A directory below may be another bucket. */
    case object Excluded extends Nested
  }

  /** The rules of a job, also for a process that finishes the job of another process. */
  final case class Rules(
      followUps: FollowUps,
      onLost: LostPart = LostPart.Fail,
      announcements: JobAnnouncements = JobAnnouncements.Nothing
  )

  /** The prefix of the logs of batch jobs; the name of a sink cannot start with this prefix. */
  val Prefix: String = "batch-"

  /** The setting in the record of a job that adds files: the sink of the files. */
  private[commit] val SinkKey = "sinkId"

  /** Carries out the decisions of jobs that died under this path. Never throws because of another job. */
  def rollForward(jobs: Seq[JobCommit]): Unit = jobs.foreach { job =>
    Log.tolerating(s"The last decision of ${job.sinkId} under ${job.path} could not be carried out")(
      job.rollForward()
    )
  }

  /** Milliseconds; a job may wait for its executors. */
  private val LeftAlone = 24 * 60 * 60 * 1000L

  /** The follow-ups of a batch job, after its parts. The input of a batch job ends, and so every bucket with
    * rows of the job is complete.
    *
    * @param jobName distinguishes the manifest of this job from other manifests
    */
  private[commit] final class JobEnd(
      followUps: FollowUps,
      jobName: String,
      parallel: Parallel,
      retry: StorageRetry
  ) {
    import followUps.{notes, rule, sinkId}

    /** Returns the follow-up for rows that are added to the visible rows. */
    def adding(publish: Vector[Pending], nowMillis: Long): FollowUp =
      followUp(publish, nowMillis, JobEnd.Cause)(bucket => retry(() => Markers.newestVersion(notes, bucket)))

    /** Returns the follow-up for rows that replace the visible rows and their markers. */
    def replacing(publish: Vector[Pending], nowMillis: Long): FollowUp =
      followUp(publish, nowMillis, JobEnd.OverwriteCause)(_ => 0)

    private def followUp(
        publish: Vector[Pending],
        nowMillis: Long,
        cause: String
    )(newestVersion: String => Int): FollowUp = {
      val written = BucketTracker.Completion.totals(publish)
      val markers = parallel.map(written.keys.toVector.sorted.filter(rule.covers)) { bucket =>
        followUps.marker(bucket, newestVersion(bucket), written(bucket), cause, nowMillis)
      }
      val manifest = if (written.isEmpty) None else followUps.manifest(Manifests.path(sinkId, jobName))
      FollowUp(manifest, markers.toVector)
    }
  }

  private object JobEnd {

    /** Recorded instead of the word of a rule. */
    private val Cause = "end"

    /** Recorded if the rows replace the former rows of the bucket, whose markers go with these rows. */
    private val OverwriteCause = "overwrite"
  }
}

/** The user's policy in a batch job: rows may close a part early; the end of a task closes the others. */
private[stoplog] final case class JobPolicy(userPolicy: RollingPolicy) extends DelegatingPolicy {
  override def onTime(part: PartStats, nowMillis: Long): Option[RollReason]     = None
  override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] = Some(RollReason.End)
}
