// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.SparkSession

import stoplog.engine.{EarlierDecision, RunStart}

/** The start of a query that was started before from the same checkpoint.
  *
  * Spark tells a sink nothing at all before there is data, which may be never. What an earlier run had left open does not
  * wait for that.
  *
  * @param waits makes the run that looks after what is open, for one start of the query and the newest record of the
  *              earlier run
  */
private[spark] final class EarlierRun(
    val queryId: String,
    earlier: EarlierDecision,
    waits: (RunStart, Long) => Unit,
    session: SparkSession
) {

  /** The start was not refused: from now on the clock, and the end of the query, take care of what is open.
    * Idempotent.
    */
  def started(runId: String): Unit = {
    // A query that gets no data may be over before it can be asked; its runs will have been of one kind.
    val trigger = QueryContext.trigger(session, queryId).getOrElse(earlier.trigger)
    SparkSession.setActiveSession(session)
    try waits(RunStart(queryId, runId, trigger), earlier.seq)
    finally SparkSession.clearActiveSession()
  }
}
