// SPDX-License-Identifier: Apache-2.0
package stoplog.engine

import java.util.concurrent.atomic.AtomicBoolean

import scala.util.control.NonFatal

import stoplog.commit._
import stoplog.error.{Errors, Log, PythonErrors}
import stoplog.plan.{TaskPlanner, TaskPlans, TaskResult}
import stoplog.thread.SinkTimer

/** One start of a query whose epochs are decided by the commit protocol: the protocol's driver, its timer and
  * its end. The run works before the first epoch, between epochs, and after the last epoch.
  *
  * @param name       the name of the sink, for messages
  * @param driver     the driver; only this run starts, commits and aborts its epochs
  * @param heartbeat  shows tools that the driver is alive, if this kind of sink has tools
  * @param tickMillis the interval at which the driver checks for pending work, in milliseconds
  * @param counted    returns the counters of the target
  */
private[stoplog] final class LedgerRun[R](
    name: String,
    driver: SinkDriver,
    heartbeat: Option[Heartbeat],
    tickMillis: Long,
    hooks: LedgerRun.Hooks[R],
    counted: () => Seq[(String, Long)] = () => Nil
) extends EngineRun[R, TaskResult] {
  import LedgerRun.EpochGate

  private var timer  = Option.empty[SinkTimer]
  private val probed = new AtomicBoolean()
  private val gate   = new EpochGate

  private val planner  = new TaskPlanner
  private val queryEnd = new EndOfQuery(driver, hooks.successor)

  @volatile private var openAtStop = Option.empty[Finish]
  @volatile private var inEpoch    = false

  // Of the user's code in the newest periodic step.
  @volatile private var userFailure = Option.empty[Throwable]

  // The sink's own counters come last, so that no counter of a target takes the place of one.
  override def counts: Seq[(String, Long)] = counted() ++ queryEnd.stats.metrics

  /** Called when the query has started. The first epoch may be much later.
    *
    * @param seenSeq the newest record of an earlier run
    */
  def waitFrom(seenSeq: Long): Unit = {
    driver.waitFrom(seenSeq, hooks.found)
    hooks.events.resumed(seenSeq)
    startTimer()
  }

  /** Stops the query from starting another epoch, before the query itself is stopped.
    *
    * @param open the handling of open parts; `None` to use the options
    */
  def stopAtNextEpoch(open: Option[Finish]): Unit = {
    openAtStop = open
    gate.close()
  }

  /** Returns whether the query is blocked before its next epoch, and can be stopped. */
  def isHeld: Boolean = gate.holds

  /** Returns whether an epoch has started and was not committed. The next start repeats its rows. */
  def isInEpoch: Boolean = inEpoch

  /** Fails if the user's code has failed between the epochs: otherwise, open parts would stay invisible
    * although the query seems to work.
    */
  override def begin(epoch: EpochStart): SinkWriterFactory[R, TaskResult] = {
    gate.pass()
    userFailure.foreach(throw _)
    inEpoch = true
    if (!probed.getAndSet(true)) hooks.probe()
    val plan = driver.begin(epoch.batch, epoch.slots, epoch.digests)
    try {
      startTimer()
      hooks.writers(planner.next(plan, epoch.carrier.carry(_)), epoch)
    } catch {
      case e: Throwable => // engines do not abort an epoch that failed to start
        driver.abort()
        throw e
    }
  }

  override def commit(batch: Long, results: Seq[TaskResult]): Unit = {
    driver.commit(batch, results)
    inEpoch = false
    hooks.events.committed(results)
  }

  override def abort(): Unit = driver.abort()

  /** Called when the engine has committed an epoch. */
  def progressed(progress: Progress): Unit = hooks.events.progressed(progress)

  /** Called when the query has ended. Never throws, because the next start completes all remaining work.
    *
    * @param exception the message of the query's failure, if any
    * @return whether the open parts are finished, if required
    */
  def end(exception: Option[String]): Boolean = ending(finishing(exception))(queryEnd.end)

  /** Called at the end of the application. Leaves a running epoch unchanged. Returns the same as [[end]]. */
  def endIfIdle(): Boolean = ending(finishing(None))(queryEnd.endIfIdle)

  private def finishing(exception: Option[String]): Finish = openAtStop.getOrElse(hooks.finish(exception))

  /** Starts the timer once, as a query's start and first epoch may be detected on different threads. */
  private def startTimer(): Unit = synchronized {
    if (timer.isEmpty) timer = Some(SinkTimer.every(tickMillis, hanging)(tick()))
  }

  /** Logs hanging storage. Only this sink is blocked, because each sink has a separate thread. */
  private def hanging: SinkTimer.Limit =
    SinkTimer.Limit(
      LedgerRun.UsualMillis,
      () => Log.warn(Errors.storageHangs(name, LedgerRun.UsualMillis).getMessage)
    )

  private def ending(finish: Finish)(action: Finish => Boolean): Boolean = {
    synchronized(timer).foreach(_.cancel())
    try action(finish)
    catch {
      case NonFatal(e) =>
        Log.warn(s"$name could not complete its last steps; the next start completes them", e)
        finish == Finish.KeepOpen
    } finally {
      try heartbeat.foreach(_.stop())
      catch { case NonFatal(e) => Log.debug(s"The heartbeat files of $name could not be removed", e) }
      planner.close()
      Log.tolerating(s"$name has ended, and its resources could not be closed")(hooks.events.closed())
    }
  }

  private[engine] def tick(): SinkTimer.Next =
    try {
      beat()
      val next = if (driver.tick()) SinkTimer.Again else SinkTimer.Stop
      userFailure = None
      next
    } catch {
      case NonFatal(e) =>
        userFailure = Some(e).filter(PythonErrors.isOfUserCode)
        Log.warn(s"A periodic step of $name failed; the driver tries again", e)
        SinkTimer.Again
    }

  /** Writes a heartbeat, also during a long epoch. Each record counts as a heartbeat as well. */
  private def beat(): Unit =
    if (driver.hasNoRecordFor(tickMillis))
      try heartbeat.foreach(_.beat())
      catch { case NonFatal(e) => Log.debug(s"$name could not write a heartbeat, and tries again", e) }
}

private[stoplog] object LedgerRun {

  /** The usual upper limit for the work between two epochs, if the storage responds. */
  private final val UsualMillis = 60 * 1000L

  /** The steps of a run in addition to the commit protocol.
    *
    * @param writers   creates the writers of an epoch's tasks
    * @param probe     called once; throws if the storage does not support the operations of the sink
    * @param finish    returns the handling of open parts at the end of the query, given the failure's
    *                  message, if any
    * @param found     the figures before the first epoch: the parts that an earlier run has left open
    * @param successor creates the driver of a run that ends the query in place of this run; see
    *                  [[stoplog.commit.EndOfQuery]]
    */
  final case class Hooks[R](
      writers: (TaskPlans, EpochStart) => SinkWriterFactory[R, TaskResult],
      probe: () => Unit,
      finish: Option[String] => Finish,
      events: Events = Events(),
      found: SinkStats = SinkStats.empty,
      successor: Option[() => SinkDriver] = None
  )

  /** The events of a run.
    *
    * @param resumed    called if the query waits for its first epoch, with the newest record of earlier runs,
    *                   which is carried out
    * @param committed  called after the commit of an epoch, with the results of its tasks
    * @param progressed called with the engine's progress for each epoch
    * @param closed     called after the last use of the sink
    */
  final case class Events(
      resumed: Long => Unit = _ => (),
      committed: Seq[TaskResult] => Unit = _ => (),
      progressed: Progress => Unit = _ => (),
      closed: () => Unit = () => ()
  )

  /** Blocks a query before an epoch, so that the query can be stopped between two epochs.
    *
    * Spark does not report the end of a micro-batch before the next micro-batch starts. However, the first
    * call to the sink in the next micro-batch precedes all of its tasks.
    */
  private[engine] final class EpochGate {
    private var isClosed  = false
    private var isAwaited = false

    /** Called by the query's thread when an epoch starts. If the gate is closed, waits until the gate is
      * opened, or until the query is stopped, which interrupts its thread.
      */
    def pass(): Unit = synchronized {
      while (isClosed) {
        isAwaited = true
        try wait()
        finally isAwaited = false
      }
    }

    def close(): Unit = synchronized {
      isClosed = true
    }

    def open(): Unit = synchronized {
      isClosed = false
      notifyAll()
    }

    /** Returns whether an epoch is ready to start and blocked. */
    def holds: Boolean = synchronized(isAwaited)
  }
}

/** @param watermarkMillis the watermark of the epoch; 0 before the first watermark, `None` in a query without
  *                        watermark
  * @param rows            the number of rows read by the epoch
  */
private[stoplog] final case class Progress(watermarkMillis: Option[Long], rows: Long)
