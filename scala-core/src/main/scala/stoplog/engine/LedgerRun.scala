// SPDX-License-Identifier: Apache-2.0
package stoplog.engine

import java.util.concurrent.ScheduledFuture
import java.util.concurrent.atomic.AtomicBoolean

import scala.util.control.NonFatal

import stoplog.commit._
import stoplog.error.Log
import stoplog.thread.SinkTimer

/** One start of one query whose epochs the commit protocol decides: the protocol's driver, its timer and its end.
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
) extends LastingRun[R, TaskResult] {
  private var timer  = Option.empty[ScheduledFuture[_]]
  private val probed = new AtomicBoolean()
  private val gate   = new EpochGate

  @volatile private var openAtStop = Option.empty[Finish]

  override def counts: Seq[(String, Long)] = SinkMetrics.of(driver.stats)

  override def waitFrom(seenSeq: Long): Unit = {
    driver.waitFrom(seenSeq)
    startTimer()
  }

  override def stopAtNextEpoch(open: Option[Finish]): Unit = {
    openAtStop = open
    gate.close()
  }

  override def isHeld: Boolean = gate.holds

  override def begin(epoch: EpochStart): SinkWriterFactory[R, TaskResult] = {
    gate.pass()
    if (!probed.getAndSet(true)) hooks.probe()
    val plan = driver.begin(epoch.batch, epoch.slots, epoch.digests)
    startTimer()
    hooks.writers(TaskPlans.of(plan), epoch)
  }

  override def commit(batch: Long, results: Seq[TaskResult]): Unit = {
    driver.commit(batch, results)
    hooks.committed(results)
  }

  override def abort(): Unit = driver.abort()

  override def progressed(progress: Progress): Unit = hooks.progressed(progress)

  override def end(exception: Option[String]): Unit = ending(driver.end(finishing(exception)))

  override def endIfIdle(): Unit = ending(driver.endIfIdle(finishing(None)))

  private def finishing(exception: Option[String]): Finish = openAtStop.getOrElse(hooks.finish(exception))

  /** Once, though the start of the query and its first epoch are noticed on different threads. */
  private def startTimer(): Unit = synchronized {
    if (timer.isEmpty) timer = Some(SinkTimer.every(tickMillis)(tick()))
  }

  private def ending(action: => Unit): Unit = {
    synchronized(timer).foreach(_.cancel(false))
    try action
    catch {
      case NonFatal(e) =>
        Log.warn(
          s"$name could not finish what it had to at its end; the next start goes on with it",
          e
        )
    } finally {
      try heartbeat.foreach(_.stop())
      catch { case NonFatal(e) => Log.debug(s"The last sign of life of $name stays", e) }
      hooks.closed()
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
    if (driver.recordedAtMillis.exists(System.currentTimeMillis() - _ >= tickMillis))
      try heartbeat.foreach(_.beat())
      catch { case NonFatal(e) => Log.debug(s"No sign of life of $name this time", e) }
}

private[stoplog] object LedgerRun {

  /** The tasks of a run besides the commit protocol.
    *
    * @param writers    of an epoch's tasks
    * @param probe      fails if the storage cannot do what the sink will need; asked once
    * @param finish     treats the open parts when the query ends, given the words of its failure if it failed
    * @param committed  told what the tasks of an epoch have written, once it is committed
    * @param progressed told what the engine says of each epoch
    * @param closed     told when nothing more will be asked of the sink
    */
  final case class Hooks[R](
      writers: (TaskPlans, EpochStart) => SinkWriterFactory[R, TaskResult],
      probe: () => Unit,
      finish: Option[String] => Finish,
      committed: Seq[TaskResult] => Unit = _ => (),
      progressed: Progress => Unit = _ => (),
      closed: () => Unit = () => ()
  )
}
