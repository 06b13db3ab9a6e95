// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

import stoplog.commit.complete.{FollowUps, JobEnd}
import stoplog.error.Errors
import stoplog.fault.Step
import stoplog.log.{CommitLog, FollowUp, LogRecord, RecordKind, SinkState}
import stoplog.part.{Pending, RunId}
import stoplog.store.{JobStore, PartStore, SetAside, WriterLease}

/** The commit of a batch job: a log of its own with one record, or two if it replaces what was there.
  *
  * The first record decides. What it names is set aside; the second record says that this is over, so that nobody
  * sets aside what the job itself has published; then the parts become visible, and the job's directory goes. If
  * the process dies on the way, the next job under the same path carries on ([[rollForward]]).
  */
final class JobCommit(
    run: RunId,
    identity: SinkIdentity,
    log: CommitLog,
    store: PartStore,
    job: JobStore,
    tools: SinkDriver.Tools,
    followUps: FollowUps
) {
  import JobCommit._
  import tools.{clock, faults}

  private val publisher = new Publisher(store, log, identity, LostPart.Fail, tools, followUps)
  private val jobEnd    = new JobEnd(followUps, identity.sinkId, tools.parallel, tools.retry)

  private def path = identity.path

  private var lease = Option.empty[WriterLease]

  /** Announces that the job is alive, and says what its tasks are to do. */
  def begin(slots: Int): EpochPlan = {
    lease = Some(store.enter(run))
    EpochPlan.ofJob(run, slots)
  }

  /** Makes the tasks' parts visible, in place of what readers see now or beside it.
    *
    * Errors: those of [[SinkDriver.commit]].
    */
  def commit(results: Seq[TaskResult], replacing: Replacing): Unit = {
    faults.at(Step.BeforeRecord)
    val replaced = replacing match {
      case Replacing.Everything => job.visible()
      case Replacing.Nothing    => Vector.empty
    }
    if (replaced.nonEmpty) job.prepare()
    val publish = results.flatMap(_.closed).toVector
    val follow  = replacing match {
      case Replacing.Everything => jobEnd.replacing(publish, clock.millis())
      case Replacing.Nothing    => jobEnd.adding(publish, clock.millis())
    }
    val first = record(seq = 0, publish, replaced, follow)
    tools.parallel.uninterrupted {
      decide(first)
      faults.at(Step.AfterRecord)
      carryOut(first)
      leave()
      job.remove()
    }
  }

  /** Ends without a trace in the readers' view. Deletes nothing (I5): tasks may still be writing. */
  def abort(): Unit = leave()

  /** Carries out what a job has decided that may have died since; removes what one has left that wrote nothing for a
    * day, and sees to it before that such a job can decide nothing any more.
    *
    * Beside a driver that lives it does what can be repeated by anybody, and removes nothing.
    */
  def rollForward(): Unit = {
    lease = Some(store.enter(run))
    try {
      val alone          = store.othersGone(run)
      lazy val untouched = job.untouchedSince(clock.millis() - LeftAlone)
      log.newest() match {
        case Some(newest) if alone || replacedBy(newest).isEmpty || job.setsAsideOnce =>
          val over = alone || untouched // before anything is written
          try carryOut(newest)
          catch { case NonFatal(_) if !alone && log.newest().isEmpty => () } // its own driver was faster
          if (over) job.remove()
        case None if untouched =>
          decide(record(seq = 0, Vector.empty, Vector.empty, FollowUp.nothing))
          if (alone) job.remove()
        case _ => ()
      }
    } finally leave()
  }

  /** May be done by several at once, as far as [[JobStore.setsAsideOnce]] or a lock permits. */
  private def carryOut(newest: LogRecord): Unit = replacedBy(newest) match {
    case Vector() => publisher.republish(newest)
    case entries  =>
      val second = record(newest.seq + 1, newest.publish, Vector.empty, newest.follow)
      if (entries.forall(setAside)) {
        log.append(second) // whoever was faster wrote the same
        faults.at(Step.AfterSetAside)
      }
      publisher.republish(second)
  }

  private def setAside(entry: String): Boolean = {
    val outcome = job.setAside(entry)
    faults.at(Step.MidSetAside)
    outcome == SetAside.Done
  }

  private def leave(): Unit = {
    lease.foreach(_.close())
    lease = None
  }

  private def decide(next: LogRecord): Unit = log.append(next) match {
    case CommitLog.Decided          => ()
    case CommitLog.Overtaken(other) => throw Errors.fenced(identity.path, identity.sinkId, next.seq, other)
  }

  private def record(
      seq: Long,
      publish: Vector[Pending],
      replaced: Vector[String],
      follow: FollowUp
  ): LogRecord = LogRecord(
    seq,
    RecordKind.Epoch(0),
    run,
    clock.millis(),
    publish,
    SinkState(
      identity.queryId,
      lastEpoch = Some(0),
      Vector.empty,
      nextPart = 0,
      settings = if (replaced.isEmpty) Map.empty else Map(ReplacedKey -> replaced.mkString("/"))
    ),
    follow
  )

  private def replacedBy(record: LogRecord): Vector[String] =
    record.state.settings.get(ReplacedKey).fold(Vector.empty[String])(_.split('/').toVector)
}

object JobCommit {

  /** Whether readers go on seeing what is there. */
  sealed trait Replacing
  object Replacing {
    case object Nothing    extends Replacing
    case object Everything extends Replacing
  }

  /** Begins the names of the logs of batch jobs; the name of a sink cannot begin with it. */
  val Prefix: String = "batch-"

  /** Carries out what the jobs that died under this path had decided. Never fails for the sake of another job. */
  def rollForward(jobs: Seq[JobCommit]): Unit = jobs.foreach { job =>
    try job.rollForward()
    catch {
      case NonFatal(e) =>
        logger.warn(s"What an earlier batch job under ${job.path} left behind could not be dealt with", e)
    }
  }

  private val logger      = LoggerFactory.getLogger("stoplog")
  private val ReplacedKey = "replaced"

  /** A job may be waiting for its executors. */
  private val LeftAlone = 24 * 60 * 60 * 1000L
}
