// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow

import stoplog.commit._
import stoplog.engine.{LedgerRun, Progress, QueryTrigger, RunStart}
import stoplog.error.Log
import stoplog.format.bulk.EndingParts
import stoplog.options.{BucketComplete, FinalizeOnTermination, FormatChoice, SinkOptions}
import stoplog.part.RunId

/** One start of one query that writes files. */
private[filesink] object FileRun {

  def apply(
      start: RunStart,
      sink: FileSinkSpec,
      options: SinkOptions,
      layout: LayoutNotice
  ): LedgerRun[InternalRow] = {
    val storage = sink.storage
    val run     = RunId.random()
    val driver  = SinkDriver.ofParts(
      run,
      SinkIdentity(storage.path, storage.sinkId, start.queryId),
      sink.settings.noting(noted(start.trigger, options, sink)),
      sink.parts.policy,
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
    new LedgerRun[InternalRow](
      s"Sink ${storage.sinkId} under ${storage.path}",
      driver,
      Some(new Heartbeat(storage.files, storage.sinkId, run)),
      options.rolling.checkIntervalMillis,
      LedgerRun.Hooks(
        writers = (plans, epoch) => new RowWriterFactory(plans, sink, epoch.times),
        probe = () => storage.probe(),
        finish = finish(options.recovery.finalizeOnTermination, start.trigger, _),
        committed = layout.written,
        progressed = new Watermarks(options, driver.reached).of
      )
    )
  }

  private def ownBulk(options: SinkOptions): Option[String] = options.output.format match {
    case FormatChoice.UserBulk(reference) => Some(reference)
    case _                                => None
  }

  /** For later runs, and for tools, which know no options. */
  private def noted(trigger: QueryTrigger, options: SinkOptions, sink: FileSinkSpec): Map[String, String] =
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

/** Hears from Spark how far a query has come.
  *
  * The progress of a batch tells the watermark with which that batch was run, and comes when its epoch is committed: so
  * whatever an aggregation gives out because of it, is in the log by then. The times of the rows themselves would not
  * do: they move the watermark of the next batch, which has yet to give out the windows that it closes.
  */
private[stoplog] final class Watermarks(options: SinkOptions, reached: Long => Unit) {
  private var warned = false

  def of(epoch: Progress): Unit = options.buckets.completeness.when match {
    case _: BucketComplete.Watermark =>
      epoch.watermarkMillis match {
        case Some(millis) if millis > 0 => reached(millis)
        case Some(_)                    => () // none yet
        case None                       => if (epoch.rows > 0) warn()
      }
    case _ => ()
  }

  private def warn(): Unit = if (!warned) {
    warned = true
    Log.warn(
      s"No bucket under ${options.output.path} will ever be complete: bucketComplete = 'watermark' goes by the query's watermark, " +
        "and the query has none. Call withWatermark(...) on the rows."
    )
  }
}
