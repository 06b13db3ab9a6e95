// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import org.apache.hadoop.conf.Configuration

import stoplog.commit._
import stoplog.error.{Errors, StoplogArgumentException, StoplogException}
import stoplog.fault.Faults
import stoplog.format.bulk.EndingParts
import stoplog.log.{CommitLog, LogRecord, SinkState}
import stoplog.part.{Pending, RunId}
import stoplog.storage.{Durability, FileStore, PartLayout, SinkDirectory, Truncation}
import stoplog.stores.SinkStorage
import stoplog.thread.Parallel
import stoplog.writing.PartFormat

/** One sink id under one path, as the context of its tools.
  *
  * @param newRun creates the run id for changes
  */
private[admin] final class SinkContext(
    val path: String,
    val sinkId: String,
    storage: SinkContext.SinkContextStorage,
    tools: DriverTools,
    newRun: () => RunId = () => RunId.random()
) {
  import tools.clock

  def log: CommitLog = storage.log

  /** Returns the record from which all tools start, except a reset. A tool must not continue a log that lacks
    * records (P-23).
    *
    * Errors: `STOPLOG_SINK_UNKNOWN`, `STOPLOG_LOG_GAP`.
    */
  def newest(): LogRecord = {
    val own   = log // has the listing of its last record
    val found = newestOf(own)
    own.refuseGap(path, sinkId)
    found
  }

  /** Returns the newest record, also of a log that lacks records. Error: `STOPLOG_SINK_UNKNOWN`. */
  def newestAfterGap(): LogRecord = newestOf(log)

  private def newestOf(own: CommitLog): LogRecord = {
    def unknown = Errors.sinkUnknown(path, sinkId, sinkIds())
    val found   = storage.anyLog.newest().getOrElse(throw unknown)
    if (found.state.queryId == SinkState.NextQuery || SinkSettings.isOfFiles(found.state))
      own.newest().getOrElse(throw unknown)
    else
      throw Errors.invalidOptions(
        Seq(s"The log $sinkId is of another kind: the commands support only logs of streaming file sinks.")
      )
  }

  def sinkIds(): Vector[String] = storage.sinkIds.sorted

  /** Returns the stores of parts specified by the log. */
  def stores(newest: LogRecord): SinkStores = storage.stores(newest)

  /** Returns the parts with a file: a lost part and a called-off compaction have none. */
  def publishedBy(newest: LogRecord): Vector[Pending] =
    newest.as(log.outcome(newest.seq)).publish.filter(_.sizeBytes > 0)

  /** Returns the known liveness of a driver, without a write, by this machine's clock. */
  def liveness(newest: LogRecord): Liveness = judged(newest, skewMillis = 0)

  /** Returns the known liveness of a driver; a path without the log of a stream has no driver. */
  def livenessNow(): Liveness =
    storage.anyLog.newest().fold[Liveness](Liveness.Released)(liveness)

  /** Returns the logs whose records are announced: of the sink, of batch jobs, and of replacements. The log
    * of replacements is last: a table can remove a file only after the log of the file has added the file.
    */
  def announced(): Vector[Announcer.Place] = {
    val logs = storage.sinkIds.filter(id =>
      id == sinkId || id == Replacements.SinkId || id.startsWith(JobCommit.Prefix)
    )
    logs.sortBy(id => (id == Replacements.SinkId, id)).map(storage.announced(_, sinkId))
  }

  /** Returns the names of the targets that receive the announcements of the sink's log. */
  def targets(): Vector[String] = AnnouncementCursor.targets(storage.notes, sinkId)

  def orphans(stores: SinkStores): Vector[OrphanCleaner.Judged] =
    new OrphanCleaner(stores, stores.log, Parallel.sequential, clock, Faults.none).look()

  /** Creates a location for hidden files that must be kept. */
  def archive(): Archive = Archive.of(sinkId, clock.millis())

  /** Rejects storages that finish open parts only at their final names. Error: `STOPLOG_INVALID_OPTIONS`. */
  def refuseIfBound(newest: LogRecord): Unit =
    if (newest.state.open.nonEmpty && !storage.finishesAnywhere)
      throw Errors.invalidOptions(
        Seq(
          "open = 'aside' is not supported on S3, because an upload cannot be renamed: set open to " +
            "finish, and move the files afterwards."
        )
      )

  /** Returns whether the start of a finished part can become a separate part. */
  def cuts: Boolean = storage.finishesAnywhere

  /** Executes decisions of replacement jobs. Error: `STOPLOG_PATH_NOT_WRITABLE` if a job is running. */
  def refuseReplacing(): Unit = {
    val jobs = ReplacingJobs.of(storage.logs, tools)
    jobs.replacements.recover()
    jobs.refuseUnderWay()
  }

  def notRewindable(epoch: Long, why: String): Throwable = Errors.notRewindable(path, sinkId, epoch, why)

  /** Claims the log, runs `work`, and deletes all heartbeats. The work releases the log.
    *
    * @param settings additional settings for the run's records
    */
  def changing(seen: LogRecord, whenAlive: WhenAlive, settings: Map[String, String] = Map.empty)(
      work: Change => Unit
  ): Unit = {
    refuseOtherOwner()
    val run     = newRun()
    val stores  = this.stores(seen)
    val toolRun = new ToolRun(
      run,
      SinkIdentity(path, sinkId, seen.state.queryId),
      seen,
      stores,
      () => storage.format(stores),
      tools
    )
    whenAlive match {
      case WhenAlive.Refuse => refuseIfAlive(seen, run)
      case WhenAlive.Fence  => ()
    }
    toolRun.claim(settings)
    work(Change(run, stores, toolRun, tools))
    stores.files.delete(Heartbeat.all(stores.files, sinkId).map(_.path)) // no driver is alive after a release
  }

  /** Rejects other users than the owner: their files and records could block the query. */
  private def refuseOtherOwner(): Unit =
    storage.notes.otherOwner(SinkDirectory(sinkId).log).foreach { other =>
      throw Errors.otherOwner(path, sinkId, other.owner, other.user)
    }

  /** Throws `STOPLOG_DRIVER_ALIVE` if a driver may be alive; a path without the log of a stream has none. */
  def refuseIfAlive(): Unit = storage.anyLog.newest().foreach(refuseIfAlive(_, newRun()))

  /** Checks with the storage's clock, determined by a new heartbeat. */
  private def refuseIfAlive(seen: LogRecord, run: RunId): Unit = {
    val own = new Heartbeat(storage.notes, sinkId, run)
    own.beatKeepingOthers()
    val skew =
      try own.writtenAtMillis.fold(0L)(clock.millis() - _)
      finally own.stop()
    judged(seen, skew) match {
      case alive: Liveness.Alive => throw Errors.driverAlive(path, sinkId, alive.describe)
      case _                     => ()
    }
  }

  /** @param skewMillis the time by which this machine's clock is ahead of the storage's clock
    */
  private def judged(newest: LogRecord, skewMillis: Long): Liveness =
    Liveness.of(
      Some(newest),
      Heartbeat.signs(storage.notes, sinkId, newest.seq).map { file =>
        file.copy(modifiedMillis = file.modifiedMillis.map(_ + skewMillis))
      },
      clock.millis()
    )(_.isThere)
}

private[admin] object SinkContext {

  /** The storage of one sink id, limited to the needs of its tools. */
  trait SinkContextStorage {

    /** The log of a file sink. A record that names a file outside of the path is rejected. */
    def log: CommitLog

    /** The same log, for any kind of sink. */
    def anyLog: CommitLog

    def notes: FileStore

    /** The ids of all sinks under the path. */
    def sinkIds: Vector[String]

    /** Whether open parts can be finished at any name, and finished parts can be cut. */
    def finishesAnywhere: Boolean

    /** Returns the stores with the layout in the record. */
    def stores(newest: LogRecord): SinkStores

    /** All logs under the path. */
    def logs: PathLogs

    /** Returns one log as the origin of announcements of a sink. */
    def announced(logName: String, sinkId: String): Announcer.Place

    /** Returns the format that writes the spooled rows of an open part. */
    def format(stores: SinkStores): PartFormat[_]
  }

  object SinkContextStorage {

    /** Creates the storage on a file system or an object store.
      *
      * @param truncation the value of the query's option `useTruncate`
      */
    def of(
        path: String,
        sinkId: String,
        truncation: Truncation,
        configuration: Configuration,
        durability: Durability
    ): SinkContextStorage = new SinkContextStorage {
      private val plain = SinkStorage.plain(path, sinkId, durability, configuration)

      override def log: CommitLog            = plain.log
      override def anyLog: CommitLog         = SinkStorage.reading(path, sinkId, configuration).log
      override def notes: FileStore          = plain.files
      override def sinkIds: Vector[String]   = plain.sinkIds("")
      override def finishesAnywhere: Boolean = plain.finishesAnywhere

      override def stores(newest: LogRecord): SinkStores = {
        val layout = PartLayout.recorded(sinkId, newest.state.settings)
        SinkStorage.recorded(path, sinkId, layout, durability, truncation, configuration)
      }

      override def logs: PathLogs = plain

      override def announced(logName: String, sinkId: String): Announcer.Place =
        plain.as(logName).announced(sinkId)

      override def format(stores: SinkStores): PartFormat[_] =
        new EndingParts(stores.spoolFiles, running = None)
    }
  }
}

/** The resources of a tool with a claim. */
private[admin] final case class Change(
    run: RunId,
    stores: SinkStores,
    tool: ToolRun,
    tools: DriverTools
) {

  /** Releases the log unchanged if the action is rejected. */
  def releasingIfRefused[A](action: => A): A =
    try action
    catch {
      case refused @ (_: StoplogException | _: StoplogArgumentException) =>
        tool.release(state => state.copy(settings = Rewind.over(state.settings)))
        throw refused
    }
}
