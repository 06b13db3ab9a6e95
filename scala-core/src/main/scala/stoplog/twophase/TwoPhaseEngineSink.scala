// SPDX-License-Identifier: Apache-2.0
package stoplog.twophase

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}

import stoplog.commit._
import stoplog.engine._
import stoplog.error.{Described, Errors, Log, Redaction}
import stoplog.options.{LogOptions, SparkHadoop}
import stoplog.part.RunId
import stoplog.plan.{EpochPlan, TaskPlans, TaskResult}
import stoplog.sink.{CommitOutcome, Prepared, TwoPhaseSink}
import stoplog.storage.systems.CanonicalPath
import stoplog.storage.{Durability, NoFiles}
import stoplog.stores.SinkStorage

/** A sink with two-phase commits, as driven by an engine. Claims nothing before the first epoch.
  *
  * @param columns  the columns of the rows, as known before the first epoch
  * @param sink     creates the sink for the actual columns
  * @param settings the settings of the log
  */
private[stoplog] final class TwoPhaseEngineSink[C, R](
    override val columns: C,
    sink: C => TwoPhaseSink[R],
    settings: TwoPhaseSettings
) extends EngineSink[C, R, TaskResult] {
  import TwoPhaseEngineSink.TwoPhaseJob

  // Created once: the target of a sink that rejects the columns is unknown.
  private lazy val described = Described.as(s"stoplog sink ${settings.log.sinkId}") {
    EngineSink.nameOf(sink(columns).target, settings.log.sinkId)
  }

  override def name: String = described

  override def replacing: Replacing = Replacing.Never

  override def taskMetrics: Seq[TaskMetric] = Seq(PreparingWriter.RowsPrepared)

  override def noCounts: Seq[(String, Long)] = SinkStats.empty.metrics

  override def plan(request: WriteRequest[C]): EngineWrite[R, TaskResult] = new EngineWrite[R, TaskResult] {
    override def start(start: RunStart): EngineRun[R, TaskResult] = run(start, sink(request.columns))

    override def job(): EngineJob[R, TaskResult] = new TwoPhaseJob(sink(request.columns), settings.log.sinkId)
  }

  /** Carries out the query's newest record and returns its number. Returns `None` without a configured
    * location: the log is then in a checkpoint that the engine has not passed yet.
    */
  override def resume(queryId: String): Option[Long] =
    if (settings.log.location.isEmpty) None
    else {
      val log = settings.storage.log
      log.newest().filter(_.state.queryId == queryId).map { newest =>
        log.refuseGap(settings.path, settings.log.sinkId)
        val target    = sink(columns)
        val committer = target.committer()
        try
          new Ledger(
            RunId.random(), // claims nothing
            SinkIdentity(settings.path, settings.log.sinkId, queryId),
            Ledger.Stores.of(new SinkKind(target.kind), settings.storage.log, committer),
            settings.log.onLostPart,
            FollowUps.none(settings.log.sinkId, NoFiles),
            DriverTools.ofThisJvm
          ).recover(newest)
        finally committer.close()
        newest.seq
      }
    }

  private def run(start: RunStart, sink: TwoPhaseSink[R]): LedgerRun[R] = {
    val run       = RunId.random()
    val committer = sink.committer()
    val storage   = settings.storage
    val driver    = SinkDriver.ofPrepared(
      run,
      SinkIdentity(settings.path, settings.log.sinkId, start.queryId),
      SinkSettings(Map.empty, content = "", Map(QueryTrigger.Noted -> start.trigger.word)),
      Ledger.Stores.of(new SinkKind(sink.kind), storage.log, committer),
      settings.log.onForeignQuery,
      settings.log.onLostPart,
      DriverTools.ofThisJvm
    )
    new LedgerRun[R](
      Redaction.text(s"Sink ${settings.log.sinkId} of ${sink.target}"),
      driver,
      heartbeat = None,
      TwoPhaseEngineSink.TickMillis,
      LedgerRun.Hooks(
        writers = (plans, epoch) =>
          new PreparingWriter.PreparingFactory(
            plans,
            run,
            sink,
            settings.log.sinkId,
            Some(storage),
            epoch.times
          ),
        probe = () => {
          committer.beforeTasks()
          storage.probe()
        },
        finish = _ => Finish.KeepOpen,
        LedgerRun.Events(closed = () => committer.close())
      ),
      () => committer.counts
    )
  }
}

private[twophase] object TwoPhaseEngineSink {

  /** Nothing is open between epochs: at most, requests rejected by the storage or the target are retried. */
  private final val TickMillis = 60000L

  /** A batch query. No engine repeats a batch query, so no log keeps its output. The driver commits the
    * prepared output of all tasks when all tasks are done. If the driver dies during the commits, some output
    * stays committed.
    */
  final class TwoPhaseJob[R](sink: TwoPhaseSink[R], sinkId: String) extends EngineJob[R, TaskResult] {
    private val run             = RunId.random()
    private val tools           = DriverTools.ofThisJvm
    private lazy val committer  = sink.committer()
    @volatile private var begun = false

    override def begin(slots: Int): SinkWriterFactory[R, TaskResult] = {
      committer.beforeTasks()
      new PreparingWriter.PreparingFactory(
        TaskPlans.of(EpochPlan.ofJob(run, slots)),
        run,
        sink,
        sinkId,
        storage = None
      )
    }

    override def commit(results: Seq[TaskResult]): Unit = {
      val all = prepared(results)
      committer.refuseLost(all.map(_.token))
      begun = true
      try
        tools.parallel.uninterrupted {
          // Each commit connects to a server first, so even two commits run at the same time.
          val outcomes =
            tools.parallel.mapWork(all, all.size)(part => tools.retry(() => committer.commit(part)))
          refuseLost(all, all.zip(outcomes).collect { case (part, CommitOutcome.Lost) => part })
        }
      catch { case NonFatal(e) => throw Errors.batchPartly(sink.target, e) }
      close(s"All rows are in ${sink.target}")
    }

    private def refuseLost(all: Seq[Prepared], gone: Seq[Prepared]): Unit = gone.headOption.foreach { first =>
      throw committer
        .lost(gone, committed = all.size - gone.size)
        .getOrElse(Errors.partLost(sink.target, first.token, "", -1L))
    }

    /** Failed tasks have undone their output. After the start of the commits, their outcome is unknown (I5).
      * The engine reports the failure that led here: an error of an abort is only logged.
      */
    override def abort(results: Seq[TaskResult]): Unit = {
      if (!begun)
        Log.tolerating(
          s"A batch job has failed, and ${sink.target} did not abort all prepared rows of its tasks: the " +
            "remaining rows stay there, invisible to readers"
        ) {
          tools.parallel.uninterrupted {
            tools.parallel.map(prepared(results))(part => committer.abort(part.token))
            ()
          }
        }
      close(s"A batch job into ${sink.target} has failed")
    }

    private def close(ended: String): Unit =
      Log.tolerating(s"$ended, and the connection could not be closed")(committer.close())

    private def prepared(results: Seq[TaskResult]): Seq[Prepared] =
      results
        .flatMap(_.closed)
        .map(part => Prepared(part.name, part.handle.token, part.records, part.sizeBytes))
  }
}

/** The log of a sink with two-phase commits: a separate directory such as `<location>/_stoplog/<sinkId>/log`.
  *
  * @param log the location is `None` if neither the log's place nor the checkpoint was given, which only a
  *            batch query may do
  */
private[stoplog] final case class TwoPhaseSettings(log: LogOptions) {

  /** Error: `STOPLOG_PATH_MISSING`. */
  def path: String = log.location.getOrElse(throw Errors.logLocation())

  lazy val storage: SinkStorage =
    SinkStorage.prepared(path, log.sinkId, Durability.Disk, SparkHadoop.configuration)

  /** Returns the place of the log, see [[TwoPhaseSettings.place]]. Error: `STOPLOG_PATH_MISSING`. */
  def place: String = TwoPhaseSettings.place(path, SparkHadoop.configuration)
}

private[stoplog] object TwoPhaseSettings {

  /** Returns the location without mounts and local links. Equal for all spellings of one place, and different
    * for a copy of the log in another place.
    */
  def place(location: String, configuration: Configuration): String = {
    val path = new HadoopPath(location)
    CanonicalPath.of(path, path, configuration).text
  }
}
