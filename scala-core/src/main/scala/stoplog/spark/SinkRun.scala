package stoplog.spark

import java.util.concurrent.ScheduledFuture
import java.util.concurrent.atomic.AtomicBoolean

import scala.util.control.NonFatal

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.StreamingQueryProgress
import org.slf4j.LoggerFactory

import stoplog.commit._
import stoplog.fault.Faults
import stoplog.format.bulk.EndingParts
import stoplog.options.{FinalizeOnTermination, OnForeignQuery, OnLostPart, SinkOptions}
import stoplog.part.RunId

/** One start of one query, as far as its sink goes: the commit protocol's driver, its timer and its end. */
private[spark] final class SinkRun(
    queryId: String,
    trigger: QueryTrigger,
    sink: SinkSpec,
    options: SinkOptions
) {
  private val storage = sink.storage

  private val run = RunId.random()

  private val driver = new SinkDriver(
    run,
    SinkIdentity(storage.path, storage.sinkId, queryId),
    sink.settings.copy(noted = Map(QueryTrigger.Noted -> trigger.word)),
    sink.policy,
    storage.log,
    storage.parts,
    storage.sides,
    () => new EndingParts(storage.sides),
    SinkDriver.Choices(onForeign, SinkRun.onLost(options)),
    SinkRun.tools,
    SinkFollowUps.of(options, sink.schema, storage),
    storage.finished,
    sink.compaction.fold(Compaction.Off: Compaction)(_.of(run, sink, SparkSession.active.sparkContext))
  )
  private val watermarks = new Watermarks(options, driver.reached)
  private var timer      = Option.empty[ScheduledFuture[_]]
  private val probed     = new AtomicBoolean()

  def stats: SinkStats = driver.stats

  /** A batch is over, and this is what Spark says of it. */
  def progressed(batch: StreamingQueryProgress): Unit = watermarks.of(batch)

  /** The query has started; it may be long until it has an epoch.
    *
    * @param seenSeq the newest record of an earlier run
    */
  def waitFrom(seenSeq: Long): Unit = {
    driver.waitFrom(seenSeq)
    startTimer()
  }

  def begin(batch: Long, slots: Int): EpochPlan = {
    if (!probed.getAndSet(true)) storage.probe()
    val plan = driver.begin(batch, slots)
    startTimer()
    plan
  }

  def commit(epoch: Long, results: Seq[TaskResult]): Unit = driver.commit(epoch, results)

  def abort(): Unit = driver.abort()

  /** The query has ended. Never throws: whatever is not done now is done at the next start. */
  def end(exception: Option[String]): Unit = ending(driver.end(finish(exception)))

  /** The application ends, maybe in the middle of an epoch, which is then left alone. */
  def endIfIdle(): Unit = ending(driver.endIfIdle(finish(exception = None)))

  /** Once, though the start of the query and its first epoch are noticed on different threads. */
  private def startTimer(): Unit = synchronized {
    if (timer.isEmpty) timer = Some(SinkTimer.every(options.bucketCheckIntervalMillis)(tick()))
  }

  private def ending(action: => Unit): Unit = {
    synchronized(timer).foreach(_.cancel(false))
    try action
    catch {
      case NonFatal(e) =>
        SinkRun.logger.warn(
          s"Sink ${storage.sinkId} under ${storage.path} could not finish its open parts; the next start goes on with them",
          e
        )
    }
  }

  private def tick(): SinkTimer.Next =
    try if (driver.tick()) SinkTimer.Again else SinkTimer.Stop
    catch {
      case NonFatal(e) =>
        SinkRun.logger.warn(s"Closing idle parts under ${storage.path} failed; it is tried again", e)
        SinkTimer.Again
    }

  private def finish(exception: Option[String]): SinkDriver.Finish = options.finalizeOnTermination match {
    case FinalizeOnTermination.Always => SinkDriver.Finish.PublishOpen
    case FinalizeOnTermination.Auto if trigger == QueryTrigger.Finite && exception.isEmpty =>
      SinkDriver.Finish.PublishOpen
    case _ => SinkDriver.Finish.KeepOpen
  }

  private def onForeign: ForeignQuery = options.onForeignQuery match {
    case OnForeignQuery.Fail  => ForeignQuery.Refuse
    case OnForeignQuery.Adopt => ForeignQuery.Adopt
  }
}

private[spark] object SinkRun {
  private val logger = LoggerFactory.getLogger("stoplog")

  /** The world as it is, new for each driver. */
  def tools: SinkDriver.Tools = SinkDriver.Tools(
    Clock.system,
    Faults.ofThisJvm,
    Turn.semaphore(),
    Parallel.bounded(StorageThreads),
    Retry.jittered(tries = 4, baseMillis = 100, Thread.sleep(_))
  )

  def onLost(options: SinkOptions): LostPart = options.onLostPart match {
    case OnLostPart.Fail => LostPart.Fail
    case OnLostPart.Skip => LostPart.Skip
  }

  /** More at a time than there are processors: what is done here is waiting for the storage, not computing. */
  private val StorageThreads = 8

  /** A task that is killed ends without waiting for what it no longer needs. */
  val inTasks: Parallel = Parallel.interruptible(StorageThreads)
}
