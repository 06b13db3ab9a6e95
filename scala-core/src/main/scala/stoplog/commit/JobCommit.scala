// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.util.control.NonFatal

import stoplog.error.{Errors, Log, StoplogException}
import stoplog.fault.Step
import stoplog.log.{FollowUp, LogRecord, RecordKind, SinkState}
import stoplog.part.{FinishedPart, Pending, RunId}
import stoplog.rolling.{AskingPolicy, PartStats, RollReason, RollingPolicy}
import stoplog.storage.JobDirectory
import stoplog.storage.VisibleFiles.Scope
import stoplog.thread.Stopwatch

/** The commit of a batch job: one record decides which parts become visible, and which files they replace. A job that adds
  * rows writes the record to a log of its own, and a job that replaces files to the path's log of [[Replacements]]. Then the
  * job's directory is deleted. If the process dies on the way, the next job under the same path carries on ([[rollForward]]).
  *
  * @param job the job's own directory
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
  import rules.followUps
  import tools.{clock, faults, parallel}

  private val log          = stores.log
  private val store        = stores.parts
  private val ledger       = new Ledger(run, identity, stores, rules.onLost, followUps, tools)
  private val replacements = new Replacements(logs, followUps, rules.onLost, tools)
  private val replacing    = new ReplacingJobs(logs, replacements)
  private val jobEnd       = new JobEnd(followUps, identity.sinkId, parallel, tools.retry)
  private val presence     = new JobPresence(run, identity, store, job, tools)

  private def path   = identity.path
  private def sinkId = identity.sinkId

  private var begun = new Stopwatch(clock)

  /** Announces that the job is alive, and says what its tasks are to do. */
  def begin(slots: Int): EpochPlan = {
    presence.enter()
    begun = new Stopwatch(clock)
    EpochPlan.ofJob(run, slots)
  }

  /** Carries out what jobs that replace files have decided, and brings back what they hid late. Never throws. */
  def recoverReplacements(): Unit =
    Log.tolerating(s"What jobs that replace files under $path have decided could not be carried out")(
      replacements.recover(): Unit
    )

  /** Makes the tasks' parts visible, in place of the files that readers see now, or next to them.
    *
    * Errors: `STOPLOG_FENCED`, `STOPLOG_PART_LOST`, `STOPLOG_PATH_NOT_WRITABLE` and `STOPLOG_BATCH_CALLED_OFF`, after which
    * nothing has changed; `STOPLOG_BATCH_UNKNOWN`; `STOPLOG_BATCH_DECIDED`, after which the record stands.
    */
  def commit(results: Seq[TaskResult], replacing: Replacing): Unit = {
    val publish = results.flatMap(_.closed).toVector
    replacing match {
      case Replacing.Nothing    => add(publish)
      case Replacing.Everything => replace(publish)
    }
  }

  /** Ends without a trace in the readers' view. Deletes nothing (I5): tasks may still be writing. */
  def abort(): Unit = presence.leave()

  /** Carries out what a job has decided that may have died since; removes what one has left that wrote nothing for a
    * day, and sees to it before that such a job can decide nothing any more.
    *
    * Beside a driver that lives it does what any process may repeat, and removes nothing.
    */
  def rollForward(): Unit = {
    presence.enter()
    try {
      val alone          = store.othersGone(run)
      val silentSince    = clock.millis() - LeftAlone
      lazy val untouched = job.untouchedSince(silentSince)
      log.newest() match {
        case Some(newest) =>
          val wasOver = alone || untouched // before anything is written
          try ledger.recover(newest)
          catch { case NonFatal(_) if !alone && log.newest().isEmpty => () } // its own driver was faster
          if (wasOver) removeUnlessCounted()
        case None if log.isMarked(0) => presence.remove() // a process died while it did so
        case None if job.isAnnounced =>
          if (replacements.isPending(sinkId)) replacements.recover(): Unit
          if (alone || job.decidedBefore(silentSince)) // its tasks have ended
            if (replacements.isOver(sinkId)) presence.remove() else giveUp(alone)
        case None if untouched => giveUp(alone)
        case _                 => ()
      }
    } finally presence.leave()
  }

  /** Keeps the job from deciding anything more, should its driver wake up. */
  private def giveUp(isGone: Boolean): Unit = {
    ledger.append(entry(Vector.empty, FollowUp.nothing))
    if (isGone && !replacements.isPending(sinkId)) presence.remove()
  }

  private def add(publish: Vector[Pending]): Unit = {
    faults.at(Step.BeforeRecord)
    refuseIfRemoved(publish)
    val content = entry(publish, jobEnd.adding(publish, clock.millis()))
    parallel.uninterrupted {
      val record = decided(content)
      try ledger.settle(record)
      catch { case NonFatal(e) => throw Errors.batchDecided(sinkId, path, e) }
      presence.leave()
      tidyUp(Vector.empty)(removeUnlessCounted())
    }
  }

  private def replace(publish: Vector[Pending]): Unit = {
    val plan = new Overwriting(publish)
    parallel.uninterrupted {
      withdrawing {
        job.announce()
        replacements.decide(plan)
      }.foreach { record =>
        carriedOut(record)
        presence.leave()
        tidyUp(record.replace.map(_.bucket))(presence.remove())
      }
    }
  }

  private def carriedOut(record: LogRecord): Unit = {
    val settled =
      try replacements.carryOut(record)
      catch { case NonFatal(e) => throw Errors.batchDecided(sinkId, path, e) }
    settled match {
      case _: Settled.Shown          => ()
      case Settled.CalledOff(_, why) =>
        presence.leave()
        tidyUp(Vector.empty)(presence.remove())
        throw Errors.batchCalledOff(sinkId, path, why)
    }
  }

  /** A job that fails before its record has decided nothing, and others need not wait for it. */
  private def withdrawing[A](action: => A): A =
    try action
    catch {
      case e: StoplogException if e.getCondition == "STOPLOG_BATCH_UNKNOWN" => throw e
      case NonFatal(e)                                                      =>
        try job.takeBack()
        catch { case NonFatal(later) => e.addSuppressed(later) }
        throw e
    }

  /** Unless another record has its place, the job's may be there after any error: also after one of the look that follows. */
  private def decided(entry: Ledger.Entry): LogRecord =
    try ledger.append(entry)
    catch {
      case NonFatal(e) if Ledger.decidedNothing(e) => throw e
      case NonFatal(e) => throw Errors.batchUnknown(sinkId, path, log.describe(seq = 0), e)
    }

  /** A scheduler that hears of a failed job runs it again, and has its rows twice. So from here on the job has succeeded. */
  private def tidyUp(emptied: Seq[String])(removal: => Unit): Unit = {
    Log.tolerating(s"Directories under $path that an overwrite has emptied could not be removed")(
      job.deleteEmptied(emptied)
    )
    Log.tolerating(
      s"Batch job $sinkId under $path has ended, and its directory could not be removed: the next batch job removes it"
    )(removal)
  }

  /** A job that replaces files may look in the log for what was published after its cut. */
  private def removeUnlessCounted(): Unit = if (!replacing.anyAnnounced(except = sinkId)) presence.remove()

  /** Another job may have taken this one for dead, and have removed its directory: with what its tasks had written, and
    * with the record that kept it from deciding. What it replaces would go out of sight, and nothing come instead.
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

  private final class Overwriting(publish: Vector[Pending]) extends Replacements.Plan {
    override def job: String      = sinkId
    override def run: RunId       = JobCommit.this.run
    override def kind: RecordKind = RecordKind.Epoch(0)

    override def files(isFree: String => Boolean): Option[Vector[FinishedPart]] =
      Some(JobCommit.this.job.listed(path, Scope.Whole).replaceable.map(_.asPart))

    override def content(files: ReplacedSet): Replacements.Content = {
      refuseIfRemoved(publish)
      Replacements.Content(publish, jobEnd.replacing(publish, clock.millis()))
    }
  }

  private def entry(publish: Vector[Pending], follow: FollowUp): Ledger.Entry = Ledger.Entry(
    RecordKind.Epoch(0),
    SinkState(identity.queryId, lastEpoch = Some(0), Vector.empty, nextPart = 0, settings = Map.empty),
    publish,
    follow
  )
}

private[stoplog] object JobCommit {

  /** Whether readers go on seeing the files under the path. */
  sealed trait Replacing
  object Replacing {
    case object Nothing    extends Replacing
    case object Everything extends Replacing
  }

  /** The rules by which a job, and who carries it on, decides. */
  final case class Rules(followUps: FollowUps, onLost: LostPart = LostPart.Fail)

  /** Begins the names of the logs of batch jobs; the name of a sink cannot begin with it. */
  val Prefix: String = "batch-"

  /** Carries out what the jobs that died under this path had decided. Never throws because of another job. */
  def rollForward(jobs: Seq[JobCommit]): Unit = jobs.foreach { job =>
    Log.tolerating(s"What ${job.sinkId} under ${job.path} left behind could not be dealt with")(
      job.rollForward()
    )
  }

  /** A job may be waiting for its executors. */
  private val LeftAlone = 24 * 60 * 60 * 1000L

  /** The follow-ups of a batch job, after its parts: its input has an end, and with it every bucket is complete that
    * the job has written to.
    *
    * @param jobName tells its manifest from those of others
    */
  private[commit] final class JobEnd(
      followUps: FollowUps,
      jobName: String,
      parallel: Parallel,
      retry: StorageRetry
  ) {
    import followUps.{notes, rule, sinkId}

    /** Beside the rows that readers see already. */
    def adding(publish: Vector[Pending], nowMillis: Long): FollowUp =
      followUp(publish, nowMillis)(bucket => retry(() => Markers.newestVersion(notes, bucket)))

    /** In place of those rows, markers and all. */
    def replacing(publish: Vector[Pending], nowMillis: Long): FollowUp =
      followUp(publish, nowMillis)(_ => 0)

    private def followUp(
        publish: Vector[Pending],
        nowMillis: Long
    )(newestVersion: String => Int): FollowUp = {
      val written = BucketTracker.Completion.totals(publish)
      val markers = parallel.map(written.keys.toVector.sorted.filter(rule.covers)) { bucket =>
        followUps.marker(bucket, newestVersion(bucket), written(bucket), JobEnd.Cause, nowMillis)
      }
      val manifest = if (written.isEmpty) None else followUps.manifest(Manifests.path(sinkId, jobName))
      FollowUp(manifest, markers.toVector)
    }
  }

  private object JobEnd {

    /** In place of a rule's word. */
    private val Cause = "end"
  }
}

/** The user's policy in a batch job: rows may close a part early, and the end of a task closes the rest. */
private[stoplog] final case class JobPolicy(asked: RollingPolicy) extends AskingPolicy(asked) {
  override def onTime(part: PartStats, nowMillis: Long): Option[RollReason]     = None
  override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] = Some(RollReason.End)
}
