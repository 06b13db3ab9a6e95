// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration

import stoplog.commit.{BatchDigests, DriverTools, ForeignQuery}
import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.log.BatchDigest
import stoplog.place.CheckpointFiles
import stoplog.storage.{Durability, Truncation}
import stoplog.thread.Clock

/** An operator's commands for one sink id, without its query and without Spark.
  *
  * Every method answers a plan and changes nothing; [[AdminPlan.carryOut]] does what it says, through the same log and
  * the same claims as a query, and refuses while a driver is alive. A tool may be killed at any point: the query, or
  * the tool again, goes on from there.
  *
  * {{{
  * val sink = SinkAdmin.at("/data/events")
  * val plan = sink.finalizeOpenParts()
  * plan.actions.foreach(println)
  * plan.carryOut()
  * }}}
  *
  * Errors of each method: `STOPLOG_SINK_UNKNOWN`, `STOPLOG_RECORD_TORN`, `STOPLOG_RECORD_TOO_NEW`, and those of opening
  * the storage.
  */
final class SinkAdmin private[admin] (sink: SinkContext) {

  /** Makes every row of a stopped query visible: what was decided is published, and every open part is finished. */
  def finalizeOpenParts(): AdminPlan = FinalizeCommand.plan(sink)

  /** Removes what dead attempts have left behind. Each file that stays is there with the rule that spared it. */
  def clean(): AdminPlan = CleanCommand.plan(sink)

  /** Lets another query go on with this sink: its log, its open parts and its finished files.
    *
    * The query must have passed the epochs that are in the log: it would write their rows again.
    *
    * @param owner the query, and the batch that it begins with
    *
    * Errors: `STOPLOG_FOREIGN_QUERY`, `STOPLOG_EPOCH_AHEAD` and `STOPLOG_EPOCH_REPLANNED`, each with the number of rows that would
    * come again.
    */
  def adopt(owner: NewOwner): AdminPlan = AdoptCommand.adopt(sink, owner, ForeignQuery.Adopt)

  /** The same for a query that may write rows of the log again. The plan says how many. Restore the query's checkpoint, or use
    * [[rewind]], to have each row once.
    */
  def adoptAndRepeat(owner: NewOwner): AdminPlan =
    AdoptCommand.adopt(sink, owner, ForeignQuery.AdoptAndRepeat)

  /** Says under which sink id another query can write to the same directory, beside this one. Changes nothing. */
  def fork(): AdminPlan = AdoptCommand.fork(sink)

  /** Begins the log anew, from the files that exist now: the next query that starts owns it, from whatever batch. Finished
    * files stay. The records of the log so far are kept under `_stoplog/<sinkId>/aside`.
    *
    * @param open what becomes of the rows in open parts
    */
  def reset(open: OpenRows): AdminPlan = ResetCommand.plan(sink, open)

  /** Goes back to the end of an older epoch, so that a query whose checkpoint was set back writes what followed again,
    * once. Files with rows of later epochs are moved to `_stoplog/<sinkId>/aside`.
    *
    * @param epoch the last epoch to stay; -1 for none
    *
    * Error: `STOPLOG_NOT_REWINDABLE`.
    */
  def rewind(epoch: Long): AdminPlan = RewindCommand.plan(sink, epoch)

  /** Looks whether a directory that was moved or copied is whole: everything that its log names, with its length.
    * Changes nothing.
    */
  def relocate(): AdminPlan = RelocateCommand.plan(sink)
}

object SinkAdmin {

  /** @param path          of the sink, local or of any file system that Hadoop knows
    * @param sinkId        as the query's option says
    * @param configuration of Hadoop, for what is not on a local disk
    */
  def at(
      path: String,
      sinkId: String = "main",
      configuration: Configuration = new Configuration()
  ): SinkAdmin = at(path, sinkId, configuration, Truncation.Allowed)

  /** @param truncation as the query's option `useTruncate` says */
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
  * @param queryId   the id of the query, which its checkpoint holds
  * @param nextBatch the first batch that it has not committed
  * @param planned   the digest of that batch, if it has been planned
  * @param before    the digest of the batch before it, if the checkpoint has it
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

  /** As the checkpoint of a query says: the query begins with the batch that it has planned and not committed, or else with
    * the one after the last. Error: `STOPLOG_CHECKPOINT_UNREADABLE`.
    */
  def ofCheckpoint(location: String, configuration: Configuration = new Configuration()): NewOwner =
    try {
      val files   = new CheckpointFiles(location, configuration)
      val next    = files.nextBatch
      val queryId = files.queryId.getOrElse(throw new IllegalArgumentException("its metadata has no id"))
      NewOwner(queryId, next, files.planned(next), if (next == 0) None else files.planned(next - 1))
    } catch { case NonFatal(e) => throw Errors.checkpointUnreadable(location, e) }
}

/** The treatment of rows that are in open parts. */
sealed trait OpenRows extends Product with Serializable
object OpenRows {

  /** They are made visible. */
  case object Finish extends OpenRows

  /** They are kept out of the readers' sight. */
  case object MoveAside extends OpenRows
}
