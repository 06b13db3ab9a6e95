// SPDX-License-Identifier: Apache-2.0
package stoplog.engine

import java.util.concurrent.atomic.AtomicBoolean

import scala.util.control.NonFatal

import stoplog.commit._
import stoplog.error.{Errors, Log}
import stoplog.thread.SinkTimer

/** One start of one query whose epochs the commit protocol decides: the protocol's driver, its timer and its end. It has
  * something to do before the first epoch, between epochs, and after the last one.
  *
  * @param name       of the sink, for messages
  * @param driver     whose epochs begin here, and are committed and given up by it alone
  * @param heartbeat  tells tools that the driver is alive, if there are any for this kind of sink
  * @param tickMillis how often the driver looks what is due
  */
private[stoplog] final class LedgerRun[R](
    name: String,
    driver: SinkDriver,
    heartbeat: Option[Heartbeat],
    tickMillis: Long,
    hooks: LedgerRun.Hooks[R]
) extends EngineRun[R, TaskResult] {
  import LedgerRun.EpochGate

  private var timer  = Option.empty[SinkTimer]
  private val probed = new AtomicBoolean()
  private val gate   = new EpochGate

  private val planner  = new TaskPlanner
  private val queryEnd = new QueryEnd(driver, hooks.successor)

  @volatile private var openAtStop = Option.empty[Finish]

  override def counts: Seq[(String, Long)] = queryEnd.stats.metrics

  /** The query has started; it may be long until it has an epoch.
    *
    * @param seenSeq the newest record of an earlier run
    */
  def waitFrom(seenSeq: Long): Unit = {
    driver.waitFrom(seenSeq)
    startTimer()
  }

  /** The query is to be stopped: it begins no other epoch.
    *
    * @param open the treatment of open parts; `None` for the one of the options
    */
  def stopAtNextEpoch(open: Option[Finish]): Unit = {
    openAtStop = open
    gate.close()
  }

  /** Whether the query would begin an epoch now, and waits to be stopped. */
  def isHeld: Boolean = gate.holds

  override def begin(epoch: EpochStart): SinkWriterFactory[R, TaskResult] = {
    gate.pass()
    if (!probed.getAndSet(true)) hooks.probe()
    val plan = driver.begin(epoch.batch, epoch.slots, epoch.digests)
    try {
      startTimer()
      hooks.writers(planner.next(plan, epoch.carrier.carry(_)), epoch)
    } catch {
      case e: Throwable => // no engine aborts an epoch that it could not begin
        driver.abort()
        throw e
    }
  }

  override def commit(batch: Long, results: Seq[TaskResult]): Unit = {
    driver.commit(batch, results)
    hooks.committed(results)
  }

  override def abort(): Unit = driver.abort()

  /** The engine has committed an epoch. */
  def progressed(progress: Progress): Unit = hooks.progressed(progress)

  /** The query has ended. Never throws: the next start does what this one leaves undone.
    *
    * @param exception the words of the query's failure, if it failed
    * @return whether the open parts are finished, if they had to be
    */
  def end(exception: Option[String]): Boolean = ending(finishing(exception))(queryEnd.end)

  /** The application ends, maybe in the middle of an epoch, which the run then leaves alone. Answers as [[end]]. */
  def endIfIdle(): Boolean = ending(finishing(None))(queryEnd.endIfIdle)

  private def finishing(exception: Option[String]): Finish = openAtStop.getOrElse(hooks.finish(exception))

  /** Once, though the start of the query and its first epoch are noticed on different threads. */
  private def startTimer(): Unit = synchronized {
    if (timer.isEmpty) timer = Some(SinkTimer.every(tickMillis, hanging)(tick()))
  }

  /** Only this sink waits: each has a thread of its own. */
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
        Log.warn(
          s"$name could not finish what it had to at its end; the next start goes on with it",
          e
        )
        finish == Finish.KeepOpen
    } finally {
      try heartbeat.foreach(_.stop())
      catch { case NonFatal(e) => Log.debug(s"The last sign of life of $name stays", e) }
      planner.close()
      Log.tolerating(s"$name has ended, and what it held could not be closed")(hooks.closed())
    }
  }

  private def tick(): SinkTimer.Next =
    try {
      beat()
      if (driver.tick()) SinkTimer.Again else SinkTimer.Stop
    } catch {
      case NonFatal(e) =>
        Log.warn(s"What was due in $name failed; it is tried again", e)
        SinkTimer.Again
    }

  /** A record that is not older than the last look says as much. Also while an epoch runs, however long it takes. */
  private def beat(): Unit =
    if (driver.hasNoRecordFor(tickMillis))
      try heartbeat.foreach(_.beat())
      catch { case NonFatal(e) => Log.debug(s"No sign of life of $name this time", e) }
}

private[stoplog] object LedgerRun {

  /** The time that the work between two epochs takes at most, if the storage answers. */
  private final val UsualMillis = 60 * 1000L

  /** The tasks of a run besides the commit protocol.
    *
    * @param writers    of an epoch's tasks
    * @param probe      fails if the storage cannot do what the sink will need; asked once
    * @param finish     treats the open parts when the query ends, given the words of its failure if it failed
    * @param committed  told what the tasks of an epoch have written, once it is committed
    * @param progressed told what the engine says of each epoch
    * @param closed     told when nothing more will be asked of the sink
    * @param successor  the driver of a run that ends the query in place of this one; see [[stoplog.commit.QueryEnd]]
    */
  final case class Hooks[R](
      writers: (TaskPlans, EpochStart) => SinkWriterFactory[R, TaskResult],
      probe: () => Unit,
      finish: Option[String] => Finish,
      committed: Seq[TaskResult] => Unit = _ => (),
      progressed: Progress => Unit = _ => (),
      closed: () => Unit = () => (),
      successor: Option[() => SinkDriver] = None
  )

  /** Keeps a query from beginning an epoch, so that it can be stopped between two of them.
    *
    * Spark has no notice of the end of a micro-batch before it begins the next; but the next one's first call of the sink
    * comes before it has any task.
    */
  private[engine] final class EpochGate {
    private var isClosed  = false
    private var isAwaited = false

    /** Called by the query's thread when an epoch begins. Where the gate is closed that waits, until it is opened or the
      * query is stopped, which interrupts its thread.
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

    /** Whether an epoch would begin now, and does not. */
    def holds: Boolean = synchronized(isAwaited)
  }
}

/** @param watermarkMillis with which the epoch was run; 0 before the first, and `None` in a query without one
  * @param rows            that the epoch has read
  */
private[stoplog] final case class Progress(watermarkMillis: Option[Long], rows: Long)
