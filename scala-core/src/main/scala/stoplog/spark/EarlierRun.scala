package stoplog.spark

import org.apache.spark.sql.SparkSession

import stoplog.commit.{Republish, SinkIdentity, SinkSettings}
import stoplog.log.LogRecord

/** What a query finds that was started before from the same checkpoint.
  *
  * Spark tells a sink nothing at all before there is data, which may be never. What an earlier run had decided, or
  * left open, does not wait for that.
  *
  * @param newest the log as it was at the start
  */
private[spark] final class EarlierRun(
    val queryId: String,
    newest: LogRecord,
    table: SinkTable,
    session: SparkSession
) {

  /** Error: `STOPLOG_SCHEMA_CHANGED`, before anything is done. */
  def refuseChanged(settings: SinkSettings): Unit = newest.state.schema.foreach(settings.schema.mayFollow)

  /** Protocol step 1: makes visible what was decided. Claims nothing, for the start may be refused. */
  def republish(): Unit = Republish(
    newest,
    table.storage.log,
    table.storage.parts,
    table.storage.finished,
    SinkIdentity(table.storage.path, table.storage.sinkId, queryId),
    SinkRun.onLost(table.options),
    SinkRun.tools,
    SinkFollowUps.of(table.options, table.schema(), table.storage)
  )

  /** The start was not refused: from now on the clock, and the end of the query, take care of what is open.
    * Idempotent.
    */
  def started(runId: String): Unit = {
    val trigger = QueryContext.trigger(session, queryId).getOrElse(recordedTrigger)
    SparkSession.setActiveSession(session)
    try table.waitingRun(queryId, runId, trigger, newest.seq)
    finally SparkSession.clearActiveSession()
  }

  /** A query that gets no data may be over before it can be asked; its runs will have been of one kind. */
  private def recordedTrigger: QueryTrigger =
    if (newest.state.settings.get(QueryTrigger.Noted).contains(QueryTrigger.Finite.word)) QueryTrigger.Finite
    else QueryTrigger.Unending
}

private[spark] object EarlierRun {

  /** `None` for the first run of a checkpoint, or one whose checkpoint was not given as an option. */
  def of(table: SinkTable): Option[EarlierRun] = for {
    queryId <- KnownCheckpoint.queryId(table.options)
    newest  <- table.storage.log.newest() if newest.state.queryId == queryId
  } yield new EarlierRun(queryId, newest, table, SparkSession.active)
}
