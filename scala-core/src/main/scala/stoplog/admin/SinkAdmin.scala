// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration

import stoplog.checkpoint.CheckpointFiles
import stoplog.commit.{BatchDigests, DriverTools, ForeignQuery, SinkIdentity}
import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.log.BatchDigest
import stoplog.options.{AnnounceOptions, SinkOptions}
import stoplog.storage.{Durability, Truncation}
import stoplog.thread.Clock

/** An operator's commands for one sink id, without its query and without Spark.
  *
  * Every method returns a plan and changes nothing. [[AdminPlan.carryOut]] executes the plan, through the
  * same log and claims as a query, and fails while a driver is alive. A tool may be killed at any point. The
  * query, or a new run of the tool, then resumes the work.
  *
  * {{{
  * val sink = SinkAdmin.at("/data/events")
  * val plan = sink.finalizeOpenParts()
  * plan.actions.foreach(println)
  * plan.carryOut()
  * }}}
  *
  * Errors of each method: `STOPLOG_SINK_UNKNOWN`, `STOPLOG_RECORD_TORN`, `STOPLOG_RECORD_TOO_NEW`, and errors
  * while the storage is opened.
  */
final class SinkAdmin private[admin] (sink: SinkContext) {

  /** Makes every row of a stopped query visible: publishes decided parts and finishes every open part. */
  def finalizeOpenParts(): AdminPlan = FinalizeCommand.plan(sink)

  /** Removes files of dead attempts. The plan lists each kept file with the applicable rule. */
  def clean(): AdminPlan = CleanCommand.plan(sink)

  /** Transfers this sink to another query: its log, its open parts and its finished files.
    *
    * The query must have passed the epochs in the log. Otherwise, the query would write their rows again.
    *
    * @param owner the query, and its first batch
    *
    * Errors: `STOPLOG_FOREIGN_QUERY`, `STOPLOG_EPOCH_AHEAD` and `STOPLOG_EPOCH_REPLANNED`, each with the
    * number of repeated rows.
    */
  def adopt(owner: NewOwner): AdminPlan = AdoptCommand.adopt(sink, owner, ForeignQuery.Adopt)

  /** Transfers the sink to a query that may write rows of the log again. The plan reports their number. To
    * keep each row once, restore the query's checkpoint, or use [[rewind]].
    */
  def adoptAndRepeat(owner: NewOwner): AdminPlan =
    AdoptCommand.adopt(sink, owner, ForeignQuery.AdoptAndRepeat)

  /** Suggests a sink id for another query that writes to the same directory. Changes nothing. */
  def fork(): AdminPlan = AdoptCommand.fork(sink)

  /** Restarts the log with the files that exist now. The next query to start becomes the owner, at any batch.
    * Finished files stay. The existing records of the log are kept under `_stoplog/<sinkId>/aside`.
    *
    * @param open the handling of rows in open parts
    */
  def reset(open: OpenRows): AdminPlan = ResetCommand.plan(sink, open)

  /** Rewinds the sink to the end of an older epoch, so that a query with a reset checkpoint rewrites the
    * following epochs once. Files with rows of later epochs are moved to `_stoplog/<sinkId>/aside`.
    *
    * @param epoch the last epoch to keep; -1 for none
    *
    * Error: `STOPLOG_NOT_REWINDABLE`.
    */
  def rewind(epoch: Long): AdminPlan = RewindCommand.plan(sink, epoch)

  /** Delivers the announcements that a stopped query, or a batch job, has left.
    *
    * @param options the options of the sink, with `announce.<name>` for each target
    *
    * Errors: `STOPLOG_INVALID_OPTIONS`; `STOPLOG_ANNOUNCEMENT_UNDELIVERED` if a target did not receive all
    * announcements within `announceAtEnd`, or if the newest record of a log is not carried out.
    */
  def announce(options: Map[String, String]): AdminPlan =
    AnnounceCommand.plan(sink, SinkAdmin.targets(sink.path, options))

  /** Sends one test announcement without files to each target.
    *
    * Errors: `STOPLOG_INVALID_OPTIONS`, `STOPLOG_ANNOUNCEMENT_UNDELIVERED`.
    */
  def tryAnnouncement(options: Map[String, String]): AdminPlan =
    AnnounceCommand.trial(sink, SinkAdmin.targets(sink.path, options))

  /** Returns the tables of all targets with a table, as a JSON object. */
  private[admin] def tables(options: Map[String, String]): String =
    AnnounceCommand.tables(sink, SinkAdmin.targets(sink.path, options))

  /** Checks whether a moved or copied directory is complete: each file that the newest record names exists
    * with its recorded length. Changes nothing.
    */
  def relocate(): AdminPlan = relocate((_, _) => ())

  private[admin] def relocate(watch: (Int, Int) => Unit): AdminPlan = RelocateCommand.plan(sink, watch)
}

object SinkAdmin {

  private def targets(path: String, options: Map[String, String]): AnnounceOptions =
    parsed(path, options).buckets.completeness.announce

  /** Parses the options of a query for a tool. A query without `format` is valid here. */
  private[admin] def parsed(path: String, options: Map[String, String]): SinkOptions = {
    val format = if (options.keys.exists(_.equalsIgnoreCase("format"))) None else Some("format" -> "json")
    SinkOptions.parse(options ++ format + ("path" -> path))
  }

  /** @param path          the path of the sink, local or on any file system known to Hadoop
    * @param sinkId        the value of the query's option
    * @param configuration the Hadoop configuration, for paths not on a local disk
    */
  def at(
      path: String,
      sinkId: String = SinkIdentity.DefaultSinkId,
      configuration: Configuration = new Configuration()
  ): SinkAdmin = at(path, sinkId, configuration, Truncation.Allowed)

  /** @param truncation the value of the query's option `useTruncate`
    */
  private[admin] def at(
      path: String,
      sinkId: String,
      configuration: Configuration,
      truncation: Truncation
  ): SinkAdmin =
    new SinkAdmin(
      new SinkContext(
        path,
        sinkId,
        SinkContext.SinkContextStorage.of(path, sinkId, truncation, configuration, Durability.Disk),
        DriverTools.of(Clock.system, Faults.ofThisJvm)
      )
    )
}

/** The future owner of a sink.
  *
  * @param queryId   the id of the query, as stored in its checkpoint
  * @param nextBatch the first uncommitted batch
  * @param planned   the digest of this batch, if planned
  * @param before    the digest of the preceding batch, if the checkpoint contains it
  */
final case class NewOwner(
    queryId: String,
    nextBatch: Long,
    planned: Option[BatchDigest] = None,
    before: Option[BatchDigest] = None
) {
  private[admin] def digests: BatchDigests =
    batch => if (batch == nextBatch) planned else if (batch == nextBatch - 1) before else None
}

object NewOwner {

  /** Reads the owner from the checkpoint of a query. The query starts with its planned and uncommitted batch,
    * or with the batch after the last batch. Error: `STOPLOG_CHECKPOINT_UNREADABLE`.
    */
  def ofCheckpoint(location: String, configuration: Configuration = new Configuration()): NewOwner =
    try {
      val files   = new CheckpointFiles(location, configuration)
      val next    = files.nextBatch
      val queryId = files.queryId.getOrElse(throw new IllegalArgumentException("its metadata has no id"))
      NewOwner(queryId, next, files.planned(next), if (next == 0) None else files.planned(next - 1))
    } catch { case NonFatal(e) => throw Errors.checkpointUnreadable(location, e) }
}

/** The handling of rows in open parts. */
sealed trait OpenRows extends Product with Serializable
object OpenRows {

  /** The rows become visible. */
  case object Finish extends OpenRows

  /** The rows stay hidden and are kept. */
  case object MoveAside extends OpenRows
}
