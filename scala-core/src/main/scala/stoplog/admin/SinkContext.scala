// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import org.apache.hadoop.conf.Configuration

import stoplog.commit._
import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.format.bulk.EndingParts
import stoplog.log.{CommitLog, LogRecord, SinkState}
import stoplog.part.RunId
import stoplog.place.SinkStorage
import stoplog.storage.{Durability, FileStore, PartLayout, SinkDirectory, Truncation}

/** One sink id under one path, as its tools see it.
  *
  * @param newRun makes the id of a run that changes something
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

  /** The record that all tools start from. Error: `STOPLOG_SINK_UNKNOWN`. */
  def newest(): LogRecord = {
    def unknown = Errors.sinkUnknown(path, sinkId, sinkIds())
    val found   = storage.anyLog.newest().getOrElse(throw unknown)
    if (found.state.queryId == SinkState.NextQuery || SinkSettings.isOfFiles(found.state))
      log.newest().getOrElse(throw unknown)
    else
      throw Errors.invalidOptions(
        Seq(s"$sinkId is not the log of a streaming sink of files, and tools know no other.")
      )
  }

  def sinkIds(): Vector[String] = storage.sinkIds.sorted

  /** The stores that the log says the parts are in. */
  def stores(newest: LogRecord): SinkStores = storage.stores(newest)

  /** The liveness of a driver as far as it can be told without a write: by this machine's clock. */
  def liveness(newest: LogRecord): Liveness = judged(newest, skewMillis = 0)

  def orphans(stores: SinkStores): Vector[OrphanCleaner.Judged] =
    new OrphanCleaner(stores, Parallel.sequential, clock, Faults.none).look()

  /** A place for what is to be kept out of sight. */
  def archive(): Archive = Archive.of(sinkId, clock.millis())

  /** Whether open parts can be finished anywhere but where they were to be. Error: `STOPLOG_INVALID_OPTIONS`. */
  def refuseIfBound(newest: LogRecord): Unit =
    if (newest.state.open.nonEmpty && !storage.finishesAnywhere)
      throw Errors.invalidOptions(
        Seq(
          "open = 'aside' cannot be used on S3, whose uploads are bound to the names that they began with: choose " +
            "finish, and move the files afterwards."
        )
      )

  /** Whether the beginning of a finished part can be made a part of its own. */
  def cuts: Boolean = storage.finishesAnywhere

  /** Carries out what jobs that replace files have decided. Error: `STOPLOG_PATH_NOT_WRITABLE` if one is under way. */
  def refuseReplacing(): Unit = {
    val jobs = ReplacingJobs.of(storage.logs, tools)
    jobs.replacements.recover()
    jobs.refuseUnderWay()
  }

  def notRewindable(epoch: Long, why: String): Throwable = Errors.notRewindable(path, sinkId, epoch, why)

  /** Claims the log, does this, and ends in good order.
    *
    * @param says what the settings of the run's records say besides
    */
  def changing(seen: LogRecord, whenAlive: WhenAlive, says: Map[String, String] = Map.empty)(
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
    toolRun.claim(says)
    work(Change(run, stores, toolRun, tools))
    stores.files.delete(Heartbeat.all(stores.files, sinkId).map(_.path)) // no driver is alive after a release
  }

  /** Directories and records of another user than the query's would keep the query from going on. */
  private def refuseOtherOwner(): Unit =
    storage.notes.otherOwner(SinkDirectory(sinkId).log).foreach { other =>
      throw Errors.otherOwner(path, sinkId, other.owner, other.user)
    }

  /** By the clock of the storage, which a sign of life of our own tells. */
  private def refuseIfAlive(seen: LogRecord, run: RunId): Unit = {
    val own = new Heartbeat(storage.notes, sinkId, run)
    own.beatBeside()
    val skew =
      try own.writtenAtMillis.fold(0L)(clock.millis() - _)
      finally own.stop()
    judged(seen, skew) match {
      case alive: Liveness.Alive => throw Errors.driverAlive(path, sinkId, alive.describe)
      case _                     => ()
    }
  }

  /** @param skewMillis how far this machine's clock is before that of the storage */
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

  /** The storage of one sink id, as far as its tools need to know. */
  trait SinkContextStorage {

    /** Of a sink of files: a record that names a file elsewhere is refused. */
    def log: CommitLog

    /** The same log, which may be that of any sink. */
    def anyLog: CommitLog

    def notes: FileStore

    /** Of all sinks under the path. */
    def sinkIds: Vector[String]

    /** Whether an open part can be finished anywhere but where it was to be, and the beginning of a finished one be cut. */
    def finishesAnywhere: Boolean

    /** By what the record says of where parts are. */
    def stores(newest: LogRecord): SinkStores

    /** All logs under the path. */
    def logs: PathLogs

    /** The format that writes the rows an open part still lacks. */
    def format(stores: SinkStores): PartFormat[_]
  }

  object SinkContextStorage {

    /** On a file system or an object store.
      *
      * @param truncation as the query's option `useTruncate` says
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

      override def format(stores: SinkStores): PartFormat[_] =
        new EndingParts(stores.spoolFiles, running = None)
    }
  }
}

/** The means of a tool once it holds the claim. */
private[admin] final case class Change(
    run: RunId,
    stores: SinkStores,
    tool: ToolRun,
    tools: DriverTools
)
