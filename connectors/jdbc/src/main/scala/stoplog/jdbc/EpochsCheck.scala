// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import stoplog.commit.{ForeignQuery, Planned}
import stoplog.log.BatchDigest

/** Whether a run may go on from what the epochs table says. Pure: it answers with the row as it shall be, or throws. */
private[jdbc] object EpochsCheck {

  /** Errors: `STOPLOG_JDBC_FOREIGN_QUERY`, `STOPLOG_JDBC_EPOCH_GAP`, `STOPLOG_JDBC_EPOCH_AHEAD`. */
  def check(
      sink: String,
      target: Target,
      found: Option[SinkRow],
      owner: SinkOwner,
      onForeign: ForeignQuery,
      planned: Planned
  ): SinkRow = {
    import planned.batch
    val fresh = SinkRow(owner.queryId, owner.runId, if (batch == 0) None else Some(batch - 1))
    val adopt = onForeign == ForeignQuery.Adopt
    found match {
      case None if batch == 0 || adopt => fresh
      case None                        => throw JdbcErrors.epochGap(sink, target, "none", batch)
      case Some(state) if state.queryId != owner.queryId =>
        if (adopt) fresh else throw JdbcErrors.foreignQuery(sink, target, state.queryId, owner.queryId)
      // a database that is behind this query's own checkpoint is an older copy, though the query may adopt others
      case Some(state) =>
        sequence(sink, target, state, planned)
        goesOn(sink, target, state, planned)
        state.copy(runId = owner.runId)
    }
  }

  /** Spark repeats the last epoch, or asks for the next. What it repeats must be the same batch: one that was planned
    * anew has rows that would never come if it was passed over.
    */
  def sequence(sink: String, target: Target, state: SinkRow, planned: Planned): Unit = {
    import planned.batch
    val last = state.lastEpoch
    if (batch > next(last))
      throw JdbcErrors.epochGap(sink, target, last.fold("none")(_.toString), batch)
    if (batch < next(last) - 1)
      throw JdbcErrors.epochAhead(sink, target, next(last) - 1, s"at batch $batch", batch)
    if (last.contains(batch) && isAnother(planned.digest, state))
      throw JdbcErrors.epochAhead(
        sink,
        target,
        batch,
        s"with a batch $batch that it has planned anew, with other offsets",
        batch
      )
  }

  /** What comes first must come behind the batch that is in the target. */
  private def goesOn(sink: String, target: Target, state: SinkRow, planned: Planned): Unit =
    state.lastEpoch.filter(_ == planned.batch - 1).foreach { last =>
      if (isAnother(planned.before, state))
        throw JdbcErrors.epochAhead(
          sink,
          target,
          last,
          s"at batch ${planned.batch} behind another batch $last, which was planned anew with other offsets",
          last
        )
    }

  private def isAnother(now: Option[BatchDigest], state: SinkRow): Boolean =
    now.exists(digest => state.lastBatch.exists(_ != digest))

  private def next(last: Option[Long]): Long = last.fold(0L)(_ + 1)
}
