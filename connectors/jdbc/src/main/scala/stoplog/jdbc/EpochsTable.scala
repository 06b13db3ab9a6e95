// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import stoplog.commit.{ForeignQuery, Planned}
import stoplog.log.BatchDigest

/** The row of a sink in the epochs table.
  *
  * @param queryId   the query, the same over restarts from one checkpoint
  * @param runId     the start of the query that owns the row
  * @param lastEpoch the newest epoch in the target; none before the first
  * @param lastBatch the digest of that batch; none where Spark told none
  */
private[jdbc] final case class SinkRow(
    queryId: String,
    runId: String,
    lastEpoch: Option[Long],
    lastBatch: Option[BatchDigest] = None
)

/** The table with a row for each sink, which the sinks make if it is not there.
  *
  * @param sink the name of this one's row
  */
private[jdbc] final case class EpochsTable(table: String, sink: String) {

  def create: String =
    s"CREATE TABLE $table (sink_name VARCHAR(255) NOT NULL PRIMARY KEY, query_id VARCHAR(64) NOT NULL, " +
      "run_id VARCHAR(64) NOT NULL, last_epoch BIGINT NOT NULL, last_batch VARCHAR(64))"

  /** Fails for a table of a release that kept no digests of batches. */
  def shape: String = s"SELECT last_batch FROM $table WHERE 1 = 0"

  // The methods below work in a transaction of the caller.

  /** The row, which no other transaction changes before this one has ended. An update locks in every database; how to
    * lock by reading differs.
    */
  def lock(session: Session): Option[SinkRow] =
    if (session.update(s"UPDATE $table SET run_id = run_id WHERE sink_name = ?", sink) == 0) None
    else read(session)

  def insert(session: Session, state: SinkRow): Unit = write(
    session,
    s"INSERT INTO $table (query_id, run_id, last_epoch, last_batch, sink_name) VALUES (?, ?, ?, ?, ?)",
    state
  )

  def update(session: Session, state: SinkRow): Unit = write(
    session,
    s"UPDATE $table SET query_id = ?, run_id = ?, last_epoch = ?, last_batch = ? WHERE sink_name = ?",
    state
  )

  def delete(session: Session): Unit = {
    session.update(s"DELETE FROM $table WHERE sink_name = ?", sink)
    ()
  }

  private final val NoEpoch = -1L

  private def write(session: Session, sql: String, state: SinkRow): Unit = {
    val epoch = state.lastEpoch.getOrElse(NoEpoch)
    session.update(sql, state.queryId, state.runId, epoch, state.lastBatch.map(_.value).orNull, sink)
    ()
  }

  private def read(session: Session): Option[SinkRow] =
    session.query(
      s"SELECT query_id, run_id, last_epoch, last_batch FROM $table WHERE sink_name = ?",
      sink
    ) { result =>
      Option.when(result.next())(
        SinkRow(
          result.getString(1),
          result.getString(2),
          Some(result.getLong(3)).filter(_ != NoEpoch),
          Option(result.getString(4)).map(BatchDigest(_))
        )
      )
    }
}

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

  /** The first batch of a run must follow the batch that is in the target. */
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
