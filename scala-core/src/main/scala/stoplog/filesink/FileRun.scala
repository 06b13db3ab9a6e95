// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow

import stoplog.bucket.{Bucketing, DateTimeBucketAssigner}
import stoplog.commit._
import stoplog.engine.{LedgerRun, Progress, QueryTrigger, RunStart}
import stoplog.error.Log
import stoplog.format.bulk.EndingParts
import stoplog.options.{BucketComplete, FinalizeOnTermination, FormatChoice, SinkOptions}
import stoplog.part.{Open, RunId}
import stoplog.plan.TaskResult
import stoplog.preflight.NameChecks
import stoplog.rolling.PolicyOfAllParts

/** One start of a query that writes files. */
private[filesink] object FileRun {

  /** @param open the parts that an earlier run has left open */
  def apply(
      start: RunStart,
      sink: FileSinkSpec,
      options: SinkOptions,
      layout: LayoutNotice,
      open: Vector[Open]
  ): LedgerRun[InternalRow] = {
    val storage   = sink.storage
    val announcer = SinkAnnouncements.of(options, storage)
    val context   = SparkSession.active.sparkContext // a query may end on a thread without a session
    val rules     = DriverRules(
      sink.parts.policy,
      SinkFollowUps.of(options, sink.schema, storage),
      options.recovery.onForeignQuery,
      options.recovery.onLostPart,
      options.recovery.onRestart
    )

    def driverOf(run: RunId): SinkDriver = SinkDriver.ofParts(
      run,
      SinkIdentity(storage.path, storage.sinkId, start.queryId),
      sink.settings.noting(noted(start.trigger, options, sink)),
      storage,
      () => new EndingParts(storage.spoolFiles, ownBulk(options)),
      rules.copy(compaction = sink.compaction.fold(rules.compaction)(_.of(run, sink, context))),
      DriverTools.ofThisJvm.copy(announcing = announcer.getOrElse(Announcing.Nothing))
    )
    val run    = RunId.random()
    val driver = driverOf(run)
    new LedgerRun[InternalRow](
      s"Sink ${storage.sinkId} under ${storage.path}",
      driver,
      Some(new Heartbeat(storage.files, storage.sinkId, run)),
      options.rolling.checkIntervalMillis,
      LedgerRun.Hooks(
        writers = (plans, epoch) => {
          announcer.foreach(_.refuseBacklog())
          new RowWriterFactory(plans, sink, epoch.times)
        },
        probe = () => {
          storage.probe()
          PolicyOfAllParts.in(sink.parts.policy).foreach(_.probe())
        },
        finish = finish(options.recovery.finalizeOnTermination, start.trigger, _),
        LedgerRun.Events(
          resumed = seq => announcer.foreach(_.recovered(seq)),
          committed = layout.written,
          progressed = new Watermarks(options, driver.reached).of,
          closed = () =>
            try PolicyOfAllParts.in(sink.parts.policy).foreach(_.close())
            finally announcer.foreach(_.end())
        ),
        found = SinkStats.empty.copy(open = open),
        successor = Some(() => driverOf(RunId.random()))
      ),
      () => announcer.fold(Seq.empty[(String, Long)])(_.metrics)
    )
  }

  private def ownBulk(options: SinkOptions): Option[String] = options.output.format match {
    case FormatChoice.UserBulk(reference) => Some(reference)
    case _                                => None
  }

  /** Returns the settings for later runs, and for tools, which have no access to the options. */
  private def noted(trigger: QueryTrigger, options: SinkOptions, sink: FileSinkSpec): Map[String, String] =
    Map(
      QueryTrigger.Noted -> trigger.word,
      DriverNote.Key     -> DriverNote.ofThisProcess(options.rolling.checkIntervalMillis).text
    ) ++ SinkFollowUps.noted(options, sink.schema) ++ sink.compaction.fold(Map.empty[String, String])(_ =>
      CompactingRun.noted
    )

  private def finish(
      requested: FinalizeOnTermination,
      trigger: QueryTrigger,
      exception: Option[String]
  ): Finish = requested match {
    case FinalizeOnTermination.Always => Finish.PublishOpen
    case FinalizeOnTermination.Auto if trigger == QueryTrigger.Finite && exception.isEmpty =>
      Finish.PublishOpen
    case _ => Finish.KeepOpen
  }
}

/** Receives the progress of a query from Spark.
  *
  * The progress of a batch contains the watermark of this batch, and arrives after the commit of its epoch.
  * So the log already contains all rows that an aggregation emitted for this watermark. The times of the rows
  * cannot be used: they advance the watermark of the next batch, which has yet to emit the windows closed by
  * this watermark.
  */
private[stoplog] final class Watermarks(options: SinkOptions, reached: Long => Unit) {
  private var warned = false

  def of(epoch: Progress): Unit = options.buckets.completeness.when match {
    case _: BucketComplete.Watermark =>
      epoch.watermarkMillis match {
        case Some(millis) if millis > 0 => reached(millis)
        case Some(_)                    => () // no watermark yet
        case None                       => if (epoch.rows > 0) warn()
      }
    case _ => ()
  }

  private def warn(): Unit = if (!warned) {
    warned = true
    Log.warn(
      s"No bucket under ${options.output.path} will ever be complete: bucketComplete = 'watermark' uses " +
        "the query's watermark, and the query has no watermark. Call withWatermark(...) on the rows."
    )
  }
}

/** Warns, once in a run, that readers would not find the rows of its buckets, or would read the rows
  * incorrectly.
  *
  * @param name    the name of the sink
  * @param columns the columns in the files
  */
private[stoplog] final class LayoutNotice(name: String, columns: Seq[String]) {
  @volatile private var isWarned = false

  /** @param buckets the buckets of rows
    */
  def look(buckets: Iterable[String]): Unit = synchronized {
    if (!isWarned)
      NameChecks.unreadable(buckets.toSeq.distinct, columns).foreach { warning =>
        isWarned = true
        Log.warn(s"$name: ${warning.what} ${warning.now}")
      }
  }

  /** Checks the buckets written by tasks. After the warning, epochs skip this check. */
  def written(results: Seq[TaskResult]): Unit =
    if (!isWarned)
      look(
        results.iterator
          .flatMap(task => task.closed.iterator.map(_.bucket) ++ task.open.iterator.map(_.bucket))
          .toSet
      )
}

private[stoplog] object LayoutNotice {

  /** Creates the notice of a sink, and checks an example of the buckets' pattern. */
  def of(name: String, sink: FileSinkSpec, bucketing: Bucketing): LayoutNotice = {
    val notice =
      new LayoutNotice(name, FileSinkSpec.dataColumns(bucketing, sink.schema).schema.fieldNames.toSeq)
    sink.rows.assigner match {
      case dated: DateTimeBucketAssigner => notice.look(Seq(dated.bucketAt(System.currentTimeMillis())))
      case _                             => ()
    }
    notice
  }
}
