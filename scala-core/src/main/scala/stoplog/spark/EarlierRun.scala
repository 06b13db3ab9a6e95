// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.SparkSession

import stoplog.commit.{Ledger, RealTools, SinkIdentity}
import stoplog.log.{CommitLog, LogRecord}
import stoplog.part.RunId

/** What a query finds that was started before from the same checkpoint.
  *
  * Spark tells a sink nothing at all before there is data, which may be never. What an earlier run had decided, or
  * left open, does not wait for that.
  *
  * @param newest      the log as it was at the start
  * @param republishes carries out what the newest record has decided
  * @param waits       makes the run that looks after what is open, for a query, one start of it, and its trigger
  */
private[spark] final class EarlierRun(
    val queryId: String,
    val newest: LogRecord,
    republishes: LogRecord => Unit,
    waits: EarlierRun.Waits,
    session: SparkSession
) {

  /** Protocol step 1: makes visible what was decided. Claims nothing, for the start may be refused. */
  def republish(): Unit = republishes(newest)

  /** The start was not refused: from now on the clock, and the end of the query, take care of what is open.
    * Idempotent.
    */
  def started(runId: String): Unit = {
    val trigger = QueryContext.trigger(session, queryId).getOrElse(recordedTrigger)
    SparkSession.setActiveSession(session)
    try waits(queryId, runId, trigger, newest.seq)
    finally SparkSession.clearActiveSession()
  }

  /** A query that gets no data may be over before it can be asked; its runs will have been of one kind. */
  private def recordedTrigger: QueryTrigger =
    if (newest.state.settings.get(QueryTrigger.Noted).contains(QueryTrigger.Finite.word)) QueryTrigger.Finite
    else QueryTrigger.Unending
}

private[spark] object EarlierRun {

  /** Called with the query, the start of it, its trigger, and the newest record of an earlier run. */
  type Waits = (String, String, QueryTrigger, Long) => Unit

  /** `None` for the first run of a checkpoint, or one whose checkpoint was not given as an option. */
  def of(checkpoint: Option[String], log: CommitLog)(
      republishes: String => LogRecord => Unit,
      waits: Waits
  ): Option[EarlierRun] = for {
    queryId <- KnownCheckpoint.queryId(checkpoint)
    newest  <- log.newest() if newest.state.queryId == queryId
  } yield new EarlierRun(queryId, newest, republishes(queryId), waits, SparkSession.active)

  /** Of a sink of files. */
  def of(table: SinkTable): Option[EarlierRun] = {
    val storage                                       = table.storage
    def republish(queryId: String)(newest: LogRecord) = new Ledger(
      RunId.random(), // which claims nothing
      SinkIdentity(storage.path, storage.sinkId, queryId),
      storage.log,
      Ledger.Stores(storage.parts, storage.sides, storage.finished),
      table.options.recovery.onLostPart,
      SinkFollowUps.of(RecordedPattern.resumed(table.options, Some(newest)), table.schema(), storage),
      RealTools.ofThisJvm
    ).recover(newest)
    of(table.options.checkpointLocation, storage.log)(republish, table.waitingRun)
  }
}
