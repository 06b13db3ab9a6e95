// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.util.control.NonFatal

import stoplog.error.{Causes, Errors, Log}
import stoplog.fault.Step
import stoplog.log.{CommitLog, FollowUp, LogRecord, RecordKind, SinkState}
import stoplog.part.{FinishedPart, Pending, RunId}
import stoplog.rolling.{AskingPolicy, PartStats, RollReason, RollingPolicy}
import stoplog.storage.{JobDirectory, PartStore, SinkDirectory}

/** The commit of a batch job: a log of its own with one record. It decides which parts become visible, and which files
  * give way to them. Then the job's directory goes. If the process dies on the way, the next job under the same path
  * carries on ([[rollForward]]).
  */
private[stoplog] final class JobCommit(
    run: RunId,
    identity: SinkIdentity,
    log: CommitLog,
    store: PartStore,
    job: JobDirectory,
    tools: DriverTools,
    rules: JobCommit.Rules
) {
  import JobCommit._
  import rules.followUps
  import tools.{clock, faults, parallel}

  private val stores = SinkStores.of(log, store, replaced = job.replaced)
  private val ledger = new Ledger(run, identity, stores, rules.onLost, followUps, tools)
  private val jobEnd = new JobEnd(followUps, identity.sinkId, parallel, tools.retry)

  private def path   = identity.path
  private def sinkId = identity.sinkId

  private var lease = Option.empty[AutoCloseable]
  private var begun = new Stopwatch(clock)

  /** Announces that the job is alive, and says what its tasks are to do. */
  def begin(slots: Int): EpochPlan = {
    lease = Some(store.enter(run))
    begun = new Stopwatch(clock)
    EpochPlan.ofJob(run, slots)
  }

  /** Makes the tasks' parts visible, in place of what readers see now or beside it.
    *
    * Errors: `STOPLOG_FENCED`, `STOPLOG_PART_LOST` and `STOPLOG_PATH_NOT_WRITABLE`, after which nothing is decided; `STOPLOG_BATCH_UNKNOWN`;
    * `STOPLOG_BATCH_DECIDED`, after which the record stands.
    */
  def commit(results: Seq[TaskResult], replacing: Replacing): Unit = {
    val draft = withdrawing(replacing)(drafted(results, replacing))
    parallel.uninterrupted {
      val record = decided(draft)
      try ledger.settle(record)
      catch { case NonFatal(e) => throw Errors.batchDecided(sinkId, path, e) }
      leave()
      tidyUp(record.replace.map(_.bucket))
    }
  }

  private def drafted(results: Seq[TaskResult], replacing: Replacing): Ledger.Entry = {
    faults.at(Step.BeforeRecord)
    val publish = results.flatMap(_.closed).toVector
    refuseIfRemoved(publish)
    replacing match {
      case Replacing.Nothing    => entry(publish, jobEnd.adding(publish, clock.millis()), Vector.empty)
      case Replacing.Everything =>
        val replaced = job.visible().map(_.asPart)
        replaced.map(_.path).find(!job.replaced.canHide(_)).foreach(refuseFile)
        entry(publish, jobEnd.replacing(publish, clock.millis()), replaced)
    }
  }

  /** A job that fails before its record has decided nothing, and merges need not wait for it. */
  private def withdrawing[A](replacing: Replacing)(action: => A): A =
    try action
    catch {
      case NonFatal(e) =>
        if (replacing == Replacing.Everything)
          try job.takeBack()
          catch { case NonFatal(later) => e.addSuppressed(later) }
        throw e
    }

  private def refuseFile(file: String): Nothing = throw Errors.pathNotWritable(
    path,
    s"it is to be overwritten, and $file cannot be set aside: its name is too long, or it is on another file system than " +
      "the log. Nothing was changed. Remove that file, or move it away"
  )

  /** Unless another record has its place, the job's may be there after any error: also one of the look behind it. */
  private def decided(entry: Ledger.Entry): LogRecord =
    try ledger.append(entry)
    catch {
      case NonFatal(e) if Ledger.decidedNothing(e) => throw e
      case NonFatal(e)                             => throw Errors.batchUnknown(sinkId, path, e)
    }

  /** A scheduler that hears of a failed job runs it again, and has its rows twice. So from here on the job has succeeded. */
  private def tidyUp(emptied: Seq[String]): Unit = {
    Log.tolerating(s"Directories under $path that an overwrite has emptied could not be removed")(
      job.deleteEmptied(emptied)
    )
    Log.tolerating(
      s"The rows of ${sinkId} are visible, and its directory under $path could not be removed: the next batch job removes it"
    )(remove())
  }

  /** Ends without a trace in the readers' view. Deletes nothing (I5): tasks may still be writing. */
  def abort(): Unit = leave()

  /** Carries out what a job has decided that may have died since; removes what one has left that wrote nothing for a
    * day, and sees to it before that such a job can decide nothing any more.
    *
    * Beside a driver that lives it does what any process may repeat, and removes nothing.
    */
  def rollForward(): Unit = {
    lease = Some(store.enter(run))
    try {
      val alone          = store.othersGone(run)
      lazy val untouched = job.untouchedSince(clock.millis() - LeftAlone)
      log.newest() match {
        case Some(newest) =>
          val over = alone || untouched // before anything is written
          try carryOut(namingFiles(newest))
          catch { case NonFatal(_) if !alone && log.newest().isEmpty => () } // its own driver was faster
          if (over) remove()
        case None if log.isMarked(0) => remove() // a process died while it did so
        case None if untouched       =>
          ledger.append(entry(Vector.empty, FollowUp.nothing, Vector.empty))
          if (alone) remove()
        case _ => ()
      }
    } finally leave()
  }

  private def mayShowRows: Boolean =
    try log.newest().exists(!log.isPublished(_))
    catch { case NonFatal(_) => true }

  /** Nothing that a record names is unpublished now, and no task of the job can decide anything any more. */
  private def remove(): Unit = {
    tools.retry(() => store.beforeRemoval())
    job.delete(faults)
  }

  private def carryOut(record: LogRecord): Unit = {
    ledger.recover(record)
    job.deleteEmptied(record.replace.map(_.bucket))
  }

  /** A record of a former release names the top-level directories that it replaces. Of what is in them now, those files
    * are meant that were there when it was written.
    */
  private def namingFiles(record: LogRecord): LogRecord =
    record.state.settings.get(ReplacedKey).fold(record) { directories =>
      val replaced = directories.split('/').toSet
      val files    = job.visible().filter { file =>
        replaced(file.path.takeWhile(_ != '/')) && file.modifiedAtMillis <= record.writtenAtMillis
      }
      record.copy(replace = files.map(_.asPart))
    }

  /** Another job may have taken this one for dead, and have removed its directory: with what its tasks had written, and
    * with the record that kept it from deciding. What it replaces would go out of sight, and nothing come instead.
    */
  private def refuseIfRemoved(publish: Vector[Pending]): Unit =
    if (begun.longestMillis > LeftAlone) {
      val there = store.staged().map(_.token).toSet
      publish
        .filter(part => part.sizeBytes > 0 && !store.stagedOf(part.handle.token).exists(there))
        .foreach(part =>
          throw Errors.partLost(s"$path/${part.finishedPath}", part.handle.token, part.bucket, 0)
        )
    }

  private def leave(): Unit = {
    lease.foreach(held =>
      Log.tolerating(s"${sinkId} under $path could not say that it has ended")(held.close())
    )
    lease = None
  }

  private def entry(publish: Vector[Pending], follow: FollowUp, replaced: Vector[FinishedPart]) =
    Ledger.Entry(
      RecordKind.Epoch(0),
      SinkState(identity.queryId, lastEpoch = Some(0), Vector.empty, nextPart = 0, settings = Map.empty),
      publish,
      follow,
      replaced
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

  /** Carries out what the jobs that died under this path had decided. Never fails for the sake of another job: answers those
    * that have decided rows which may appear yet, and why they have not.
    */
  def rollForward(jobs: Seq[JobCommit]): Seq[(String, Throwable)] = jobs.flatMap { job =>
    try {
      job.rollForward()
      None
    } catch {
      case NonFatal(e) =>
        Log.warn(s"What ${job.sinkId} under ${job.path} left behind could not be dealt with", e)
        Option.when(job.mayShowRows)(job.sinkId -> e)
    }
  }

  /** Refuses an overwrite beside such jobs: rows that they may have decided would appear beside its own later. */
  def refuseBeside(undone: Seq[(String, Throwable)], path: String): Unit = undone.headOption.foreach {
    case (job, why) =>
      throw Errors.pathNotWritable(
        path,
        s"it is to be overwritten, and what $job has decided cannot be carried out first (${Causes.reason(why)}): its rows " +
          s"could appear beside the new ones later. Or delete $path/${SinkDirectory(job).path} to give them up, once no process of " +
          "that job is alive"
      )
  }

  /** The setting of a former release. */
  private val ReplacedKey = "replaced"

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
      followUp(publish, nowMillis)(bucket => retry(() => Markers.history(notes, sinkId, bucket)))

    /** In place of those rows, markers and all. */
    def replacing(publish: Vector[Pending], nowMillis: Long): FollowUp =
      followUp(publish, nowMillis)(_ => Markers.Past.nothing)

    private def followUp(
        publish: Vector[Pending],
        nowMillis: Long
    )(past: String => Markers.Past): FollowUp = {
      val written = BucketTracker.Completion.totals(publish)
      val markers = parallel.map(written.keys.toVector.sorted.filter(rule.covers)) { bucket =>
        followUps.marker(bucket, past(bucket), written(bucket), JobEnd.Cause, nowMillis)
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
