// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.concurrent.ScheduledFuture
import java.util.concurrent.atomic.AtomicBoolean

import scala.util.control.NonFatal

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.StreamingQueryProgress

import stoplog.OpenAtStop
import stoplog.commit._
import stoplog.error.Log
import stoplog.format.bulk.EndingParts
import stoplog.options.{FinalizeOnTermination, FormatChoice, SinkOptions}
import stoplog.part.RunId

/** One start of one query, as far as its sink goes: the commit protocol's driver, its timer and its end.
  *
  * @param name       of the sink, for messages
  * @param driver     whose epochs begin here, and are committed and given up by it alone
  * @param heartbeat  tells tools that the driver is alive, if there are any for this kind of sink
  * @param probe      whether the storage can do what the sink will need; asked once
  * @param tickMillis how often the driver looks what is due
  * @param finish     what becomes of open parts when the query ends, with the words of its failure if it failed
  * @param progressed told what Spark says of each batch
  * @param closed     told when nothing more will be asked of the sink
  */
private[spark] final class SinkRun(
    name: String,
    val driver: SinkDriver,
    heartbeat: Option[Heartbeat],
    probe: () => Unit,
    tickMillis: Long,
    finish: Option[String] => Finish,
    val progressed: StreamingQueryProgress => Unit,
    closed: () => Unit
) {
  private var timer  = Option.empty[ScheduledFuture[_]]
  private val probed = new AtomicBoolean()
  private val gate   = new EpochGate

  @volatile private var openAtStop: OpenAtStop = OpenAtStop.AsConfigured

  def stats: SinkStats = driver.stats

  /** The query has started; it may be long until it has an epoch.
    *
    * @param seenSeq the newest record of an earlier run
    */
  def waitFrom(seenSeq: Long): Unit = {
    driver.waitFrom(seenSeq)
    startTimer()
  }

  /** Somebody wants to stop the query: it shall begin no other epoch. */
  def stopAtNextEpoch(open: OpenAtStop): Unit = {
    openAtStop = open
    gate.close()
  }

  /** Whether the query would begin an epoch now, and waits to be stopped. */
  def isHeld: Boolean = gate.holds

  def begin(batch: Long, slots: Int, digests: BatchDigests): EpochPlan = {
    gate.pass()
    if (!probed.getAndSet(true)) probe()
    val plan = driver.begin(batch, slots, digests)
    startTimer()
    plan
  }

  /** The query has ended. Never throws: whatever is not done now is done at the next start. */
  def end(exception: Option[String]): Unit = ending(driver.end(finishing(exception)))

  /** The application ends, maybe in the middle of an epoch, which is then left alone. */
  def endIfIdle(): Unit = ending(driver.endIfIdle(finishing(None)))

  private def finishing(exception: Option[String]): Finish = openAtStop match {
    case OpenAtStop.Finalize     => Finish.PublishOpen
    case OpenAtStop.AsConfigured => finish(exception)
  }

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
      closed()
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

private[spark] object SinkRun {

  /** Of a sink of files. */
  def ofFiles(queryId: String, trigger: QueryTrigger, sink: SinkSpec, options: SinkOptions): SinkRun = {
    val storage = sink.storage
    val run     = RunId.random()
    val driver  = SinkDriver.ofParts(
      run,
      SinkIdentity(storage.path, storage.sinkId, queryId),
      sink.settings.noting(noted(trigger, options, sink)),
      sink.policy,
      storage.log,
      storage.parts,
      storage.sides,
      () => new EndingParts(storage.sides, ownBulk(options)),
      choices(options),
      RealTools.ofThisJvm,
      SinkFollowUps.of(options, sink.schema, storage),
      storage.finished,
      sink.compaction.fold(Compaction.Off: Compaction)(_.of(run, sink, SparkSession.active.sparkContext))
    )
    val watermarks = new Watermarks(options, driver.reached)
    new SinkRun(
      s"Sink ${storage.sinkId} under ${storage.path}",
      driver,
      Some(new Heartbeat(storage.notes, storage.sinkId, run)),
      () => storage.probe(),
      options.rolling.checkIntervalMillis,
      finish(options.recovery.finalizeOnTermination, trigger, _),
      watermarks.of,
      closed = () => ()
    )
  }

  private def ownBulk(options: SinkOptions): Option[String] = options.output.format match {
    case FormatChoice.UserBulk(reference) => Some(reference)
    case _                                => None
  }

  /** For later runs, and for tools, which know no options. */
  private def noted(trigger: QueryTrigger, options: SinkOptions, sink: SinkSpec): Map[String, String] =
    Map(
      QueryTrigger.Noted -> trigger.word,
      DriverNote.Key     -> DriverNote.ofThisProcess(options.rolling.checkIntervalMillis).text
    ) ++ SinkFollowUps.noted(options, sink.schema)

  private def finish(
      asked: FinalizeOnTermination,
      trigger: QueryTrigger,
      exception: Option[String]
  ): Finish = asked match {
    case FinalizeOnTermination.Always => Finish.PublishOpen
    case FinalizeOnTermination.Auto if trigger == QueryTrigger.Finite && exception.isEmpty =>
      Finish.PublishOpen
    case _ => Finish.KeepOpen
  }

  private def choices(options: SinkOptions): SinkDriver.Choices = SinkDriver.Choices(
    options.recovery.onForeignQuery,
    options.recovery.onLostPart,
    options.recovery.onRestart
  )
}
